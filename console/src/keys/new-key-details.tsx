import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyableText } from "../page/copyable-text.tsx";
import { createFirstCommand } from "./create-first-command.ts";

/** A new key, and a command that uses the key to send a notification. */
export function NewKeyDetails({ apiKey }: { readonly apiKey: string }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Text size="sm">{t("key.once")}</Text>
      <CopyableText name={t("onboarding.apiKey")} text={apiKey} />
      <Text size="sm">{t("key.sendWith")}</Text>
      <CopyableText name={t("onboarding.command")} text={createFirstCommand(apiKey)} />
    </Stack>
  );
}
