import { useTranslation } from "react-i18next";
import { getLinkToken } from "../link-token.ts";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { VisitorPage } from "./visitor-page.tsx";
import { SignUpForm } from "./sign-up-form.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/**
 * The page that creates an account: from an administrator's link, or on an open server. The route guard then opens the
 * next page.
 */
export function SignUpPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const token = getLinkToken();
  return (
    <VisitorPage
      title={t("account.create")}
      text={t(token === "" ? "account.createText" : "account.invitedText")}
      alternatives={<TextLink to={PATHS.signIn}>{t("account.signInInstead")}</TextLink>}
    >
      <SignUpForm token={token === "" ? null : token} onSignedIn={refresh} />
    </VisitorPage>
  );
}
