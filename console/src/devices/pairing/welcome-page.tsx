import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { VisitorPage } from "../../accounts/visitor-page.tsx";
import { sessionQuery } from "../../accounts/session.ts";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { readStoredDevice } from "../stored-device.ts";
import { PairingCodeForm } from "./code-form.tsx";
import { NextStep } from "./next-step.tsx";
import { useInstallSignIn } from "./use-install-sign-in.ts";

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
      <PairingCodeForm />
    </VisitorPage>
  );
}
