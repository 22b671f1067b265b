import { Button, Text } from "@mantine/core";
import { IconPlus, IconTerminal2 } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AccessToken } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { isNotFound } from "../../errors.ts";
import { Card } from "../../page/card.tsx";
import { ConfirmDialog } from "../../page/confirm-dialog.tsx";
import { List, ListItem } from "../../page/list.tsx";
import { formatTimestamp } from "../../page/timestamp.tsx";
import { QueryContent } from "../../page/query-states.tsx";
import { showToast } from "../../page/toasts.ts";
import { toPairedSessionError } from "./to-paired-session-error.ts";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { accessTokensQuery, refetchQueries } from "./profile-queries.ts";

/** The access tokens that let programs act as the account. */
export function AccessTokensCard() {
  const { t } = useTranslation();
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Card
      title={t("profile.tokens")}
      actions={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setIsCreating(true)}
        >
          {t("profile.newToken")}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        {t("profile.tokensText")}
      </Text>
      <QueryContent query={useQuery(accessTokensQuery)} rows={1}>
        {(tokens) =>
          tokens.length === 0 ? null : (
            <List label={t("profile.tokens")}>
              {tokens.map((token) => (
                <TokenItem key={token.id} token={token} />
              ))}
            </List>
          )
        }
      </QueryContent>
      <NewTokenDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </Card>
  );
}

function TokenItem({ token }: { readonly token: AccessToken }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const { id, label, createdAt, lastUsedAt } = token;
  const revoke = async () => {
    await client.accessTokens.remove(id).catch((error: unknown) => {
      if (!isNotFound(error)) throw toPairedSessionError(error);
    });
    await refetchQueries(queryClient, accessTokensQuery);
    showToast(t("profile.tokenRevoked", { label }));
  };
  return (
    <ListItem
      id={id}
      icon={IconTerminal2}
      title={label}
      actions={
        <Button
          variant="default"
          aria-label={t("profile.revokeOf", { label })}
          onClick={() => setIsConfirming(true)}
        >
          {t("profile.revoke")}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        {lastUsedAt === null
          ? t("profile.neverUsed", { when: formatTimestamp(createdAt) })
          : t("profile.lastUsed", { when: formatTimestamp(lastUsedAt) })}
      </Text>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t("profile.revokeTitle", { label })}
        message={t("profile.revokeText")}
        actionLabel={t("profile.revoke")}
        onConfirm={revoke}
        onClose={() => setIsConfirming(false)}
      />
    </ListItem>
  );
}
