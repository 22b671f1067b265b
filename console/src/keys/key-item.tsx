import { Button, Code, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Confirm } from "../page/confirm.tsx";
import { ListItem } from "../page/list.tsx";
import { momentOf } from "../page/moment.tsx";
import { say } from "../page/toasts.ts";
import { revokeKey } from "./key-queries.ts";

/** One API key of the list, without its secret. */
export function KeyItem({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { id, label, hint, createdAt, lastUsedAt, expiresAt } = apiKey;
  const use =
    lastUsedAt === null
      ? t("key.neverUsed", { when: momentOf(createdAt) })
      : t("key.used", { when: momentOf(lastUsedAt) });
  const expiry = expiresAt === null ? [] : [t("key.expires", { when: momentOf(expiresAt) })];
  return (
    <ListItem
      icon={IconKey}
      title={label ?? t("key.unnamed")}
      badge={<Code>…{hint}</Code>}
      actions={
        <Button
          size="xs"
          variant="default"
          aria-label={t("key.revokeOf", { hint })}
          onClick={() => setAsking(true)}
        >
          {t("key.revoke")}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        {[use, ...expiry].join(" · ")}
      </Text>
      <Confirm
        isOpen={isAsking}
        title={t("key.revokeTitle", { hint })}
        text={t("key.revokeText")}
        action={t("key.revoke")}
        run={async () => {
          await revokeKey(queryClient, id);
          say(t("key.revoked", { hint }));
        }}
        onClose={() => setAsking(false)}
      />
    </ListItem>
  );
}
