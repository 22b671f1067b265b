import { Button, Text } from "@mantine/core";
import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Outside } from "../accounts/outside.tsx";
import { isUnreachable, messageOf } from "../errors.ts";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";

/** Content in place of a page that could not be shown at all. */
export function Trouble({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  if (isUnreachable(error)) {
    return (
      <Outside title={t("state.unreachableTitle")}>
        <Text role="alert">{messageOf(error)}</Text>
        <Button onClick={() => void router.invalidate()}>{t("state.tryAgain")}</Button>
      </Outside>
    );
  }
  return (
    <Outside title={t("state.crashTitle")}>
      <Text role="alert">{t("state.crashText")}</Text>
      <Button onClick={() => location.reload()}>{t("state.reload")}</Button>
    </Outside>
  );
}

/** Content at an address that no page has. */
export function NotFound() {
  const { t } = useTranslation();
  return (
    <Outside title={t("state.notFoundTitle")} text={t("state.notFoundText")}>
      <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
    </Outside>
  );
}
