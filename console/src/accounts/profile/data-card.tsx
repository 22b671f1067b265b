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

/** Export of the account's data, and deletion of the account. */
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
            run={save}
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

async function save(): Promise<void> {
  const all = await new Response(await client.profile.export()).blob();
  download("tocsin-account.json", all);
}
