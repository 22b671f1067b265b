import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { getLinkToken } from "../link-token.ts";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";
import { IncompleteLinkPage } from "./incomplete-link-page.tsx";
import { VisitorPage } from "./visitor-page.tsx";
import { signInMethodsQuery } from "./sign-in/sign-in-methods.ts";
import { SignUpForm } from "./sign-up-form.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/** The page that creates the first account, which is an administrator. */
export function SetUpPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const token = getLinkToken();
  const { data: methods } = useQuery(signInMethodsQuery);
  if (methods?.isSetUp === true) return <UsedLinkPage />;
  if (token === "") return <IncompleteLinkPage title={t("account.setUp")} />;
  return (
    <VisitorPage title={t("account.setUp")} text={t("account.setUpText")}>
      <SignUpForm token={token} onSignedIn={refresh} />
    </VisitorPage>
  );
}

/** The page of a set-up link after the first account was created. A form would have no effect. */
function UsedLinkPage() {
  const { t } = useTranslation();
  return (
    <VisitorPage title={t("account.isSetUp")}>
      <Text>{t("account.isSetUpText")}</Text>
      <ButtonLink to={PATHS.signIn}>{t("account.signIn")}</ButtonLink>
    </VisitorPage>
  );
}
