import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copyable } from "../page/copyable.tsx";
import { firstCommand } from "./first-command.ts";

/** A new key and a command that sends with it. */
export function NewKeyCard({ apiKey }: { readonly apiKey: string }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Text size="sm">{t("key.once")}</Text>
      <Copyable name={t("first.apiKey")} text={apiKey} />
      <Text size="sm">{t("key.sendWith")}</Text>
      <Copyable name={t("first.command")} text={firstCommand(apiKey)} />
    </Stack>
  );
}
