import { useTranslation } from "react-i18next";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { Outside } from "./outside.tsx";
import { SignUpForm } from "./sign-up-form.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/** Makes an account without a link; the guard then leads on. */
export function SignUpPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  return (
    <Outside
      title={t("account.create")}
      text={t("account.createText")}
      others={<TextLink to={PATHS.signIn}>{t("account.signInInstead")}</TextLink>}
    >
      <SignUpForm token={null} onSignedIn={refresh} />
    </Outside>
  );
}
