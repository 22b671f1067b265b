import { useTranslation } from "react-i18next";
import { VisitorPage } from "../accounts/visitor-page.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";

/** The page for an unknown path. */
export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <VisitorPage title={t("state.notFoundTitle")} text={t("state.notFoundText")}>
      <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
    </VisitorPage>
  );
}
