import { Button, Text } from "@mantine/core";
import { IconPlus, IconTerminal2 } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AccessToken } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { isMissing } from "../../errors.ts";
import { Card } from "../../page/card.tsx";
import { Confirm } from "../../page/confirm.tsx";
import { List, ListItem } from "../../page/list.tsx";
import { momentOf } from "../../page/moment.tsx";
import { Loaded } from "../../page/states.tsx";
import { say } from "../../page/toasts.ts";
import { letInReason } from "./let-in.ts";
import { NewToken } from "./new-token.tsx";
import { accessTokensQuery, refresh } from "./profile-queries.ts";

/** The access tokens with which programs act as the person. */
export function AccessTokensCard() {
  const { t } = useTranslation();
  const [isMaking, setMaking] = useState(false);
  return (
    <Card
      title={t("profile.tokens")}
      actions={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setMaking(true)}
        >
          {t("profile.makeToken")}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        {t("profile.tokensText")}
      </Text>
      <Loaded query={useQuery(accessTokensQuery)} rows={1}>
        {(tokens) =>
          tokens.length === 0 ? null : (
            <List label={t("profile.tokens")}>
              {tokens.map((token) => (
                <TokenItem key={token.id} token={token} />
              ))}
            </List>
          )
        }
      </Loaded>
      <NewToken isOpen={isMaking} onClose={() => setMaking(false)} />
    </Card>
  );
}

function TokenItem({ token }: { readonly token: AccessToken }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const { id, label, createdAt, lastUsedAt } = token;
  const revoke = async () => {
    await client.accessTokens.remove(id).catch((error: unknown) => {
      if (!isMissing(error)) throw letInReason(error);
    });
    await refresh(queryClient, accessTokensQuery);
    say(t("profile.tokenRevoked", { label }));
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
          onClick={() => setAsked(true)}
        >
          {t("profile.revoke")}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        {lastUsedAt === null
          ? t("profile.neverUsed", { when: momentOf(createdAt) })
          : t("profile.lastUsed", { when: momentOf(lastUsedAt) })}
      </Text>
      <Confirm
        isOpen={isAsked}
        title={t("profile.revokeTitle", { label })}
        text={t("profile.revokeText")}
        action={t("profile.revoke")}
        run={revoke}
        onClose={() => setAsked(false)}
      />
    </ListItem>
  );
}
