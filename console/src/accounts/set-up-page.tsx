import { useTranslation } from "react-i18next";
import { linkToken } from "../link-token.ts";
import { IncompleteLink } from "./incomplete-link.tsx";
import { Outside } from "./outside.tsx";
import { SignUpForm } from "./sign-up-form.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/** Makes the first account, the administrator's. */
export function SetUpPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const token = linkToken();
  if (token === "") return <IncompleteLink title={t("account.setUp")} />;
  return (
    <Outside title={t("account.setUp")} text={t("account.setUpText")}>
      <SignUpForm token={token} onSignedIn={refresh} />
    </Outside>
  );
}
