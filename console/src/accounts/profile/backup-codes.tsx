import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { CopyableText } from "../../page/copyable-text.tsx";
import { downloadFile } from "../../page/download-file.ts";

interface BackupCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** New backup codes to copy or save. They cannot be shown again. */
export function BackupCodes({ codes, onClose }: BackupCodesProps) {
  const { t } = useTranslation();
  const text = codes.join("\n");
  const save = () => {
    const lines = [t("profile.codesFile", { origin: location.origin }), "", text, ""];
    downloadFile("tocsin-backup-codes.txt", new Blob([lines.join("\n")], { type: "text/plain" }));
  };
  return (
    <Stack>
      <Text size="sm">{t("profile.codesText")}</Text>
      <CopyableText name={t("profile.codes")} text={text} />
      <Group justify="space-between">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={save}
        >
          {t("profile.saveCodes")}
        </Button>
        <Button onClick={onClose}>{t("profile.codesSaved")}</Button>
      </Group>
    </Stack>
  );
}
