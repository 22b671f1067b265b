import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Card } from "../../page/card.tsx";
import { download } from "../../page/download.ts";
import { DeleteAccount } from "./delete-account.tsx";
import { Row, Rows } from "./row.tsx";

/** Exports the account's data or deletes the account. */
export function DataCard() {
  const { t } = useTranslation();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Card title={t("profile.data")}>
      <Rows>
        <Row title={t("profile.export")} text={t("profile.exportText")}>
          <ActionButton
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            run={exportAccount}
          >
            {t("profile.exportSubmit")}
          </ActionButton>
        </Row>
        <Row title={t("profile.delete")} text={t("profile.deleteText")}>
          <Button variant="light" color="red" onClick={() => setDeleting(true)}>
            {t("profile.deleteOpen")}
          </Button>
        </Row>
      </Rows>
      <DeleteAccount isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </Card>
  );
}

async function exportAccount(): Promise<void> {
  const file = await new Response(await client.profile.export()).blob();
  download("tocsin-account.json", file);
}
