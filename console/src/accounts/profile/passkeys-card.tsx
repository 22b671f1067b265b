import { Button, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { List } from "../../page/list.tsx";
import { QueryContent } from "../../page/query-states.tsx";
import { getPasskeyObstacle } from "../sign-in/passkey-obstacle.ts";
import { AddPasskeyDialog } from "./add-passkey-dialog.tsx";
import { PasskeyItem } from "./passkey-item.tsx";
import { passkeysQuery } from "./profile-queries.ts";

/** The account's passkeys, with a button to add one if this browser can create one. */
export function PasskeysCard() {
  const { t } = useTranslation();
  const [isAdding, setIsAdding] = useState(false);
  const obstacle = getPasskeyObstacle();
  return (
    <Card
      title={t("profile.passkeys")}
      actions={
        obstacle === null && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setIsAdding(true)}
          >
            {t("profile.addPasskey")}
          </Button>
        )
      }
    >
      <Text size="sm" c="dimmed">
        {obstacle === null ? t("profile.passkeysText") : t(`profile.noPasskeys.${obstacle}`)}
      </Text>
      <QueryContent query={useQuery(passkeysQuery)} rows={1}>
        {(passkeys) =>
          passkeys.length === 0 ? null : (
            <List label={t("profile.passkeys")}>
              {passkeys.map((passkey) => (
                <PasskeyItem key={passkey.id} passkey={passkey} />
              ))}
            </List>
          )
        }
      </QueryContent>
      <AddPasskeyDialog isOpen={isAdding} onClose={() => setIsAdding(false)} />
    </Card>
  );
}
