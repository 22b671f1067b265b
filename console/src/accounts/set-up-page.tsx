import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { linkToken } from "../link-token.ts";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";
import { IncompleteLink } from "./incomplete-link.tsx";
import { VisitorPage } from "./visitor-page.tsx";
import { methodsQuery } from "./sign-in/sign-in-methods.ts";
import { SignUpForm } from "./sign-up-form.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/** Creates the first account, which is an administrator. */
export function SetUpPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const token = linkToken();
  const { data: methods } = useQuery(methodsQuery);
  if (methods?.isSetUp === true) return <UsedLink />;
  if (token === "") return <IncompleteLink title={t("account.setUp")} />;
  return (
    <VisitorPage title={t("account.setUp")} text={t("account.setUpText")}>
      <SignUpForm token={token} onSignedIn={refresh} />
    </VisitorPage>
  );
}

/** The page of a set-up link after the first account was created. A form would have no effect. */
function UsedLink() {
  const { t } = useTranslation();
  return (
    <VisitorPage title={t("account.isSetUp")}>
      <Text>{t("account.isSetUpText")}</Text>
      <ButtonLink to={PATHS.signIn}>{t("account.signIn")}</ButtonLink>
    </VisitorPage>
  );
}
