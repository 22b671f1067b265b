import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { linkToken } from "../link-token.ts";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";
import { IncompleteLink } from "./incomplete-link.tsx";
import { Outside } from "./outside.tsx";
import { methodsQuery } from "./sign-in/oidc-way.ts";
import { SignUpForm } from "./sign-up-form.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/** Makes the first account, the administrator's. */
export function SetUpPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const token = linkToken();
  const { data: methods } = useQuery(methodsQuery);
  if (methods?.isSetUp === true) return <UsedLink />;
  if (token === "") return <IncompleteLink title={t("account.setUp")} />;
  return (
    <Outside title={t("account.setUp")} text={t("account.setUpText")}>
      <SignUpForm token={token} onSignedIn={refresh} />
    </Outside>
  );
}

/** Page of a set-up link after the first account was made: a form would lead nowhere. */
function UsedLink() {
  const { t } = useTranslation();
  return (
    <Outside title={t("account.isSetUp")}>
      <Text>{t("account.isSetUpText")}</Text>
      <ButtonLink to={PATHS.signIn}>{t("account.signIn")}</ButtonLink>
    </Outside>
  );
}
