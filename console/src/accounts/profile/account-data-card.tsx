import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Card } from "../../page/card.tsx";
import { downloadFile } from "../../page/download-file.ts";
import { DeleteAccountDialog } from "./delete-account-dialog.tsx";
import { SettingRow, SettingRows } from "./setting-row.tsx";

/** A card that exports the account's data or deletes the account. */
export function AccountDataCard() {
  const { t } = useTranslation();
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <Card title={t("profile.data")}>
      <SettingRows>
        <SettingRow title={t("profile.export")} text={t("profile.exportText")}>
          <ActionButton
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            run={exportAccount}
          >
            {t("profile.exportSubmit")}
          </ActionButton>
        </SettingRow>
        <SettingRow title={t("profile.delete")} text={t("profile.deleteText")}>
          <Button variant="light" color="red" onClick={() => setIsDeleting(true)}>
            {t("profile.deleteOpen")}
          </Button>
        </SettingRow>
      </SettingRows>
      <DeleteAccountDialog isOpen={isDeleting} onClose={() => setIsDeleting(false)} />
    </Card>
  );
}

async function exportAccount(): Promise<void> {
  const file = await new Response(await client.profile.export()).blob();
  downloadFile("tocsin-account.json", file);
}
