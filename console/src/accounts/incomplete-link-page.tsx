import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";
import { VisitorPage } from "./visitor-page.tsx";

/** The page of a link without its token, for example because the link was truncated. */
export function IncompleteLinkPage({ title }: { readonly title: string }) {
  const { t } = useTranslation();
  return (
    <VisitorPage title={title}>
      <Text>{t("account.incompleteLink")}</Text>
      <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
    </VisitorPage>
  );
}
