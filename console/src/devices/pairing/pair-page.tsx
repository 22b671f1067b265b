import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import type { Account, PairingProof } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AccountProvider } from "../../accounts/account-context.ts";
import { VisitorPage } from "../../accounts/visitor-page.tsx";
import { sessionQuery } from "../../accounts/session.ts";
import { messageOf } from "../../errors.ts";
import { linkToken } from "../../link-token.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Form } from "../../page/form.tsx";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { readStoredDevice } from "../stored-device.ts";
import { isPairingExpired } from "./is-pairing-expired.ts";
import { ThisPhone } from "./this-phone.tsx";
import { useInstallSignIn } from "./use-install-sign-in.ts";
import { usePair } from "./use-pair.ts";

/** The page that a pairing link opens, or where a person types its code. */
export function AddPage() {
  const { t } = useTranslation();
  const { data: account } = useQuery(sessionQuery);
  const [isTypingCode, setTypingCode] = useState(false);
  const token = linkToken();
  if (account !== null && account !== undefined) return <NextStep account={account} />;
  return (
    <VisitorPage
      title={t("pairing.addTitle")}
      text={t(token === "" || isTypingCode ? "pairing.typeText" : "pairing.linkText")}
      alternatives={<TextLink to={PATHS.signIn}>{t("pairing.password")}</TextLink>}
    >
      {token === "" || isTypingCode ? (
        <CodeForm />
      ) : (
        <LinkButton token={token} onTypeCode={() => setTypingCode(true)} />
      )}
    </VisitorPage>
  );
}

/** The start page of the app on a Home Screen. */
export function WelcomePage() {
  const { t } = useTranslation();
  const { data: account } = useQuery(sessionQuery);
  const installSignIn = useInstallSignIn();
  if (account !== null && account !== undefined) {
    // The app always opens the URL that it was installed with.
    if (readStoredDevice(account.id) !== null) return <Navigate to={PATHS.feed} replace />;
    return <NextStep account={account} />;
  }
  if (installSignIn.isRunning) {
    return (
      <VisitorPage title={t("pairing.welcome")}>
        <Text role="status">{t("pairing.comingIn")}</Text>
      </VisitorPage>
    );
  }
  return (
    <VisitorPage
      title={t("pairing.welcome")}
      text={t("pairing.welcomeText")}
      alternatives={<TextLink to={PATHS.signIn}>{t("pairing.password")}</TextLink>}
    >
      {installSignIn.problem !== null && <Alert color="orange">{installSignIn.problem}</Alert>}
      <CodeForm />
    </VisitorPage>
  );
}

/** Pairs only after a click: a program that opens links must not use up the link or sign an account in. */
function LinkButton({
  token,
  onTypeCode,
}: {
  readonly token: string;
  readonly onTypeCode: () => void;
}) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState("");
  const pair = usePair();
  const showProblem = (error: unknown) =>
    setProblem(isPairingExpired(error) ? t("pairing.linkOver") : messageOf(error));
  if (problem !== "") {
    return (
      <>
        <Alert color="orange" role="alert">
          {problem}
        </Alert>
        <ActionButton variant="default" run={async () => onTypeCode()}>
          {t("pairing.typeCode")}
        </ActionButton>
      </>
    );
  }
  return (
    <ActionButton size="md" run={() => pair({ token })} onError={showProblem}>
      {t("pairing.comeIn")}
    </ActionButton>
  );
}

function CodeForm() {
  const { t } = useTranslation();
  const pair = usePair();
  const field = {
    name: "code",
    label: t("pairing.code"),
    type: "text",
    autoComplete: "one-time-code",
    hint: t("pairing.codeHint"),
  } as const;
  const send = async (proof: PairingProof) => {
    try {
      await pair(proof);
    } catch (error) {
      throw isPairingExpired(error) ? new Error(t("pairing.codeOver"), { cause: error }) : error;
    }
  };
  return (
    <Form
      fields={[field]}
      submit={t("pairing.comeIn")}
      onSubmit={(valueOf) => send({ code: valueOf("code") })}
    />
  );
}

function NextStep({ account }: { readonly account: Account }) {
  const { t } = useTranslation();
  return (
    <AccountProvider value={account}>
      <VisitorPage
        title={t("pairing.hello", { name: account.name })}
        text={t("account.signedInAs", { email: account.email })}
        alternatives={<TextLink to={PATHS.feed}>{t("pairing.toFeed")}</TextLink>}
      >
        <ThisPhone />
      </VisitorPage>
    </AccountProvider>
  );
}
