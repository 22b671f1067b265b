import { Alert, Loader, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { getErrorMessage } from "../../errors.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { PATHS } from "../../paths.ts";
import { VisitorPage } from "../visitor-page.tsx";
import { CodeForm } from "./code-form.tsx";
import { toOidcProblem, takeOidcResponse, type OidcProblem } from "./oidc-response.ts";
import { takeNextPath } from "./next-path.ts";

type OidcState =
  | { readonly kind: "busy" }
  | { readonly kind: "code_required"; readonly token: string }
  | { readonly kind: "failed"; readonly problem: OidcProblem; readonly error: unknown };

/** The page to which the identity provider redirects: finishes the sign-in or shows why it failed. */
export function OidcPage() {
  const { t } = useTranslation();
  const [state, setState] = useState<OidcState>({ kind: "busy" });
  useEffect(() => {
    void finishSignIn().then(setState);
  }, []);
  return (
    <VisitorPage title={t("account.signIn")}>
      <OidcStep state={state} onExpired={() => setState(EXPIRED_STATE)} />
    </VisitorPage>
  );
}

const EXPIRED_STATE: OidcState = { kind: "failed", problem: "expired", error: null };

/**
 * The one sign-in request of this page: the response is valid once, and React's strict mode runs effects twice in
 * development.
 */
let pendingFinish: Promise<OidcState> | null = null;

function finishSignIn(): Promise<OidcState> {
  pendingFinish ??= requestSignIn();
  return pendingFinish;
}

async function requestSignIn(): Promise<OidcState> {
  const response = takeOidcResponse();
  if (response.kind === "problem")
    return { kind: "failed", problem: response.problem, error: null };
  try {
    const { twoFactorToken } = await client.finishOidc(response.input);
    if (twoFactorToken !== null) return { kind: "code_required", token: twoFactorToken };
    openNextPage();
    return { kind: "busy" };
  } catch (error) {
    return { kind: "failed", problem: toOidcProblem(error), error };
  }
}

/** Loads the next page from the server, so that it starts with the new session and reads the token of a link. */
function openNextPage(): void {
  location.replace(takeNextPath());
}

function OidcStep({
  state,
  onExpired,
}: {
  readonly state: OidcState;
  readonly onExpired: () => void;
}) {
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
      return <SignInFailure {...state} />;
  }
}

type FailedState = Extract<OidcState, { readonly kind: "failed" }>;

function SignInFailure({ problem, error }: FailedState) {
  const { t } = useTranslation();
  return (
    <>
      <Alert color="red" role="alert" title={t(`account.oidc.${problem}.title`)}>
        {problem === "other" ? getErrorMessage(error) : t(`account.oidc.${problem}.text`)}
      </Alert>
      <ButtonLink to={PATHS.signIn}>{t("account.backToSignIn")}</ButtonLink>
      {problem === "unconfirmed" && (
        <ButtonLink to={PATHS.forgottenPassword} variant="default">
          {t("account.forgotPassword")}
        </ButtonLink>
      )}
    </>
  );
}
