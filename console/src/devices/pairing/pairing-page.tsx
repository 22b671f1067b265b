import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import type { Account, PairingProof } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AccountProvider } from "../../accounts/account-context.ts";
import { VisitorPage } from "../../accounts/visitor-page.tsx";
import { sessionQuery } from "../../accounts/session.ts";
import { getErrorMessage } from "../../errors.ts";
import { getLinkToken } from "../../link-token.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Form } from "../../page/form.tsx";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { readStoredDevice } from "../stored-device.ts";
import { isPairingExpired } from "./is-pairing-expired.ts";
import { PhoneSetup } from "./phone-setup.tsx";
import { useInstallSignIn } from "./use-install-sign-in.ts";
import { usePairingSignIn } from "./use-pairing-sign-in.ts";

/** The page that a pairing link opens, or where a person types its code. */
export function PairingPage() {
  const { t } = useTranslation();
  const { data: account } = useQuery(sessionQuery);
  const [isTypingCode, setIsTypingCode] = useState(false);
  const token = getLinkToken();
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
        <PairButton token={token} onTypeCode={() => setIsTypingCode(true)} />
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
        <Text role="status">{t("pairing.signingIn")}</Text>
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

/** A button that pairs this browser. A program that opens links must not use up the link or sign in, so pairing needs a click. */
function PairButton({
  token,
  onTypeCode,
}: {
  readonly token: string;
  readonly onTypeCode: () => void;
}) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState("");
  const pair = usePairingSignIn();
  const showProblem = (error: unknown) =>
    setProblem(isPairingExpired(error) ? t("pairing.linkExpired") : getErrorMessage(error));
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
      {t("pairing.addSubmit")}
    </ActionButton>
  );
}

function CodeForm() {
  const { t } = useTranslation();
  const pair = usePairingSignIn();
  const field = {
    name: "code",
    label: t("pairing.code"),
    type: "text",
    autoComplete: "one-time-code",
    hint: t("pairing.codeHint"),
  } as const;
  const pairWithCode = async (proof: PairingProof) => {
    try {
      await pair(proof);
    } catch (error) {
      throw isPairingExpired(error) ? new Error(t("pairing.codeExpired"), { cause: error }) : error;
    }
  };
  return (
    <Form
      fields={[field]}
      submitLabel={t("pairing.addSubmit")}
      onSubmit={(getValue) => pairWithCode({ code: getValue("code") })}
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
        <PhoneSetup />
      </VisitorPage>
    </AccountProvider>
  );
}
