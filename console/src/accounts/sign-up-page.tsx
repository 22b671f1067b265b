import { useTranslation } from "react-i18next";
import { linkToken } from "../link-token.ts";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { Outside } from "./outside.tsx";
import { SignUpForm } from "./sign-up-form.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/** Makes an account, with an administrator's link or on an open server; the route guard then leads on. */
export function SignUpPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const token = linkToken();
  return (
    <Outside
      title={t("account.create")}
      text={t(token === "" ? "account.createText" : "account.invitedText")}
      others={<TextLink to={PATHS.signIn}>{t("account.signInInstead")}</TextLink>}
    >
      <SignUpForm token={token === "" ? null : token} onSignedIn={refresh} />
    </Outside>
  );
}
