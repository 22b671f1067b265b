import { Alert, Loader, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { messageOf } from "../../errors.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { PATHS } from "../../paths.ts";
import { Outside } from "../outside.tsx";
import { CodeForm } from "./code-form.tsx";
import { problemOf, takeOidcAnswer, type OidcProblem } from "./oidc-answer.ts";
import { takeNext } from "./next.ts";

type State =
  | { readonly kind: "busy" }
  | { readonly kind: "code_wanted"; readonly token: string }
  | { readonly kind: "failed"; readonly problem: OidcProblem; readonly error: unknown };

/** The page to which the identity provider sends the browser: finishes the sign-in, or says why it cannot. */
export function OidcPage() {
  const { t } = useTranslation();
  const [state, setState] = useState<State>({ kind: "busy" });
  useEffect(() => {
    void finish().then(setState);
  }, []);
  return (
    <Outside title={t("account.signIn")}>
      <Step state={state} onOver={() => setState(OVER)} />
    </Outside>
  );
}

const OVER: State = { kind: "failed", problem: "over", error: null };

/** The answer is valid once, but a page in development starts twice. */
let finishing: Promise<State> | null = null;

function finish(): Promise<State> {
  finishing ??= finishOnce();
  return finishing;
}

async function finishOnce(): Promise<State> {
  const answer = takeOidcAnswer();
  if (answer.kind === "problem") return { kind: "failed", problem: answer.problem, error: null };
  try {
    const { twoFactorToken } = await client.finishOidc(answer.input);
    if (twoFactorToken !== null) return { kind: "code_wanted", token: twoFactorToken };
    goOn();
    return { kind: "busy" };
  } catch (error) {
    return { kind: "failed", problem: problemOf(error), error };
  }
}

/** Loads the next page from the server, so that it knows the new session and reads the token of a link. */
function goOn(): void {
  location.replace(takeNext());
}

function Step({ state, onOver }: { readonly state: State; readonly onOver: () => void }) {
  const { t } = useTranslation();
  switch (state.kind) {
    case "busy":
      return (
        <div role="status">
          <Loader size="sm" aria-hidden /> <Text span>{t("account.finishing")}</Text>
        </div>
      );
    case "code_wanted":
      return <CodeForm token={state.token} onSignedIn={async () => goOn()} onOver={onOver} />;
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
