import { Alert, Loader, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { messageOf } from "../../errors.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { PATHS } from "../../paths.ts";
import { VisitorPage } from "../visitor-page.tsx";
import { CodeForm } from "./code-form.tsx";
import { problemOf, takeOidcResponse, type OidcProblem } from "./oidc-response.ts";
import { takeNext } from "./next.ts";

type State =
  | { readonly kind: "busy" }
  | { readonly kind: "code_required"; readonly token: string }
  | { readonly kind: "failed"; readonly problem: OidcProblem; readonly error: unknown };

/** The redirect page of the identity provider: finishes the sign-in or shows why it failed. */
export function OidcPage() {
  const { t } = useTranslation();
  const [state, setState] = useState<State>({ kind: "busy" });
  useEffect(() => {
    void finish().then(setState);
  }, []);
  return (
    <VisitorPage title={t("account.signIn")}>
      <Step state={state} onExpired={() => setState(EXPIRED)} />
    </VisitorPage>
  );
}

const EXPIRED: State = { kind: "failed", problem: "over", error: null };

/** The response is valid once, but React's strict mode runs effects twice in development. */
let finishing: Promise<State> | null = null;

function finish(): Promise<State> {
  finishing ??= finishOnce();
  return finishing;
}

async function finishOnce(): Promise<State> {
  const response = takeOidcResponse();
  if (response.kind === "problem")
    return { kind: "failed", problem: response.problem, error: null };
  try {
    const { twoFactorToken } = await client.finishOidc(response.input);
    if (twoFactorToken !== null) return { kind: "code_required", token: twoFactorToken };
    openNextPage();
    return { kind: "busy" };
  } catch (error) {
    return { kind: "failed", problem: problemOf(error), error };
  }
}

/** Loads the next page from the server, so that it starts with the new session and reads the token of a link. */
function openNextPage(): void {
  location.replace(takeNext());
}

function Step({ state, onExpired }: { readonly state: State; readonly onExpired: () => void }) {
  const { t } = useTranslation();
  switch (state.kind) {
    case "busy":
      return (
        <div role="status">
          <Loader size="sm" aria-hidden /> <Text span>{t("account.finishing")}</Text>
        </div>
      );
    case "code_required":
      return (
        <CodeForm
          token={state.token}
          onSignedIn={async () => openNextPage()}
          onExpired={onExpired}
        />
      );
    case "failed":
      return <Failure {...state} />;
  }
}

type Failed = Extract<State, { readonly kind: "failed" }>;

function Failure({ problem, error }: Failed) {
  const { t } = useTranslation();
  return (
    <>
      <Alert color="red" role="alert" title={t(`account.oidc.${problem}.title`)}>
        {problem === "other" ? messageOf(error) : t(`account.oidc.${problem}.text`)}
      </Alert>
      <ButtonLink to={PATHS.signIn}>{t("account.backToSignIn")}</ButtonLink>
      {problem === "unconfirmed" && (
        <ButtonLink to={PATHS.forgotten} variant="default">
          {t("account.forgotten")}
        </ButtonLink>
      )}
    </>
  );
}
