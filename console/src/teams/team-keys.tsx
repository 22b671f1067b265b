import { Button, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TeamDetail } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { KeyItem } from "../keys/key-item.tsx";
import { madeKeyQuery, teamKeysQuery } from "../keys/key-queries.ts";
import { MadeKey } from "../keys/made-key.tsx";
import { NewKey } from "../keys/new-key.tsx";
import { Card } from "../page/card.tsx";
import { List } from "../page/list.tsx";
import { Loaded } from "../page/states.tsx";

/** API keys of a team, which reach every member. */
export function TeamKeys({ team: { id } }: { readonly team: TeamDetail }) {
  const { t } = useTranslation();
  const [isMaking, setMaking] = useState(false);
  const keys = useQuery(teamKeysQuery(id));
  const { data: made } = useQuery(madeKeyQuery);
  const make = (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setMaking(true)}
    >
      {t("team.makeKey")}
    </Button>
  );
  return (
    <Card title={t("team.keys")} actions={make}>
      <Text size="sm" c="dimmed">
        {t("team.keysText")}
      </Text>
      <div role="status">{made?.teamId === id && <MadeKey apiKey={made.key} />}</div>
      <Loaded query={keys} rows={1}>
        {(items) => (
          <List label={t("team.keys")}>
            {items.map((key) => (
              <KeyItem key={key.id} apiKey={key} />
            ))}
          </List>
        )}
      </Loaded>
      <NewKey teamId={id} isOpen={isMaking} onClose={() => setMaking(false)} />
    </Card>
  );
}
