import { Button, Text } from "@mantine/core";
import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { VisitorPage } from "../accounts/visitor-page.tsx";
import { isUnreachable, getErrorMessage } from "../errors.ts";

/** The page that is shown when another page fails to load or to render. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  if (isUnreachable(error)) {
    return (
      <VisitorPage title={t("state.unreachableTitle")}>
        <Text role="alert">{getErrorMessage(error)}</Text>
        <Button onClick={() => void router.invalidate()}>{t("state.tryAgain")}</Button>
      </VisitorPage>
    );
  }
  return (
    <VisitorPage title={t("state.crashTitle")}>
      <Text role="alert">{t("state.crashText")}</Text>
      <Button onClick={() => location.reload()}>{t("state.reload")}</Button>
    </VisitorPage>
  );
}
