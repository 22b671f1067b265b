import { Button, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TeamDetail } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DialectKeyDetails } from "../keys/dialect-key-details.tsx";
import { newDialectKeyQuery } from "../keys/dialect-key-queries.ts";
import { KeyItem } from "../keys/key-item.tsx";
import { newKeyQuery, createTeamKeysQuery } from "../keys/key-queries.ts";
import { NewKeyDetails } from "../keys/new-key-details.tsx";
import { CreateKeyDialog } from "../keys/create-key-dialog.tsx";
import { Card } from "../page/card.tsx";
import { List } from "../page/list.tsx";
import { QueryContent } from "../page/query-states.tsx";

/** The API keys of a team. They reach all of its members. */
export function TeamKeys({ team: { id } }: { readonly team: TeamDetail }) {
  const { t } = useTranslation();
  const [isCreating, setIsCreating] = useState(false);
  const keys = useQuery(createTeamKeysQuery(id));
  const { data: newKey } = useQuery(newKeyQuery);
  const { data: newDialectKey } = useQuery(newDialectKeyQuery);
  const createButton = (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setIsCreating(true)}
    >
      {t("team.newKey")}
    </Button>
  );
  return (
    <Card title={t("team.keys")} actions={createButton}>
      <Text size="sm" c="dimmed">
        {t("team.keysText")}
      </Text>
      <div role="status">
        {newDialectKey?.teamId === id && <DialectKeyDetails newKey={newDialectKey} />}
        {newKey?.teamId === id && <NewKeyDetails apiKey={newKey.key} />}
      </div>
      <QueryContent query={keys} rows={1}>
        {(items) => (
          <List label={t("team.keys")}>
            {items.map((key) => (
              <KeyItem key={key.id} apiKey={key} />
            ))}
          </List>
        )}
      </QueryContent>
      <CreateKeyDialog teamId={id} isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </Card>
  );
}
