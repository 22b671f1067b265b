import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { VisitorPage } from "../visitor-page.tsx";
import { signInMethodsQuery } from "./sign-in-methods.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { useSessionRefresh } from "../use-session-refresh.ts";

/** The page that signs an account in. The route guard then opens the next page. */
export function SignInPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const { ended: hasEnded = false } = useSearch({ strict: false });
  const { data: methods } = useQuery(signInMethodsQuery);
  const alternatives = (
    <>
      {methods?.signUp === "open" && <TextLink to={PATHS.signUp}>{t("account.create")}</TextLink>}
      <TextLink to={PATHS.forgottenPassword}>{t("account.forgotPassword")}</TextLink>
      <TextLink to={PATHS.pairing}>{t("pairing.haveCode")}</TextLink>
    </>
  );
  return (
    <VisitorPage title={t("account.signIn")} alternatives={alternatives}>
      {hasEnded && (
        <Alert color="yellow" role="status" title={t("account.sessionEnded")}>
          {t("account.sessionEndedText")}
        </Alert>
      )}
      <SignInForm onSignedIn={refresh} />
      {methods?.signUp === "invite" && (
        <Text size="sm" c="dimmed">
          {t("account.byInvitation")}
        </Text>
      )}
    </VisitorPage>
  );
}
