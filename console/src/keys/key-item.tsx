import { Badge, Code, Menu, Text } from "@mantine/core";
import {
  IconKey,
  IconLink,
  IconLinkOff,
  IconRefresh,
  IconSignature,
  IconStairsUp,
  IconTrash,
} from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { policiesQuery } from "../incidents/policies/policy-queries.ts";
import { ActionsMenu } from "../page/actions-menu.tsx";
import { ConfirmDialog } from "../page/confirm-dialog.tsx";
import { ListItem } from "../page/list.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { showToast } from "../page/toasts.ts";
import { useAction } from "../page/use-action.ts";
import { CallbackSecretDialog } from "./callback-secret-dialog.tsx";
import { forgetDialectKey } from "./dialect-key-queries.ts";
import { SERVICE_NAMES } from "./dialects.ts";
import { KeyPolicyDialog } from "./key-policy-dialog.tsx";
import { revokeKey, setPostOnly } from "./key-queries.ts";
import { RotateKeyDialog } from "./rotate-key-dialog.tsx";

type DialogName = "policy" | "rotate" | "callback-secret" | "revoke";

/** An API key in the list, without its secret. */
export function KeyItem({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [openDialog, setOpenDialog] = useState<DialogName | null>(null);
  const { id, label, hint, channel, userKey } = apiKey;
  const close = () => setOpenDialog(null);
  return (
    <ListItem
      icon={IconKey}
      title={label ?? t("key.unnamed")}
      badge={<KeyBadges apiKey={apiKey} />}
      actions={<KeyMenu apiKey={apiKey} onSelect={setOpenDialog} />}
    >
      <Text size="sm" c="dimmed">
        {useKeyTimesText(apiKey)}
      </Text>
      <KeyPolicy apiKey={apiKey} />
      {channel !== null && (
        <Text size="sm" c="dimmed">
          {t("dialect.channelShown", { channel })}
        </Text>
      )}
      {userKey !== null && (
        <Text size="sm" c="dimmed">
          {t("dialect.userKeyShown")} <Code>{userKey}</Code>
        </Text>
      )}
      <ConfirmDialog
        isOpen={openDialog === "revoke"}
        title={t("key.revokeTitle", { hint })}
        message={t("key.revokeText")}
        actionLabel={t("key.revoke")}
        onConfirm={async () => {
          await revokeKey(queryClient, id);
          forgetDialectKey(queryClient, id);
          showToast(t("key.revoked", { hint }));
        }}
        onClose={close}
      />
      <RotateKeyDialog apiKey={apiKey} isOpen={openDialog === "rotate"} onClose={close} />
      {openDialog === "policy" && <KeyPolicyDialog apiKey={apiKey} onClose={close} />}
      <CallbackSecretDialog
        apiKey={apiKey}
        isOpen={openDialog === "callback-secret"}
        onClose={close}
      />
    </ListItem>
  );
}

/** Returns the text that says when a key was last used and when it expires. */
function useKeyTimesText({ createdAt, lastUsedAt, expiresAt, replacedBy }: ApiKey): string {
  const { t } = useTranslation();
  const lastUse =
    lastUsedAt === null
      ? t("key.neverUsed", { when: formatTimestamp(createdAt) })
      : t("key.used", { when: formatTimestamp(lastUsedAt) });
  if (expiresAt === null) return lastUse;
  const textKey = replacedBy === null ? "key.expires" : "key.worksUntil";
  return `${lastUse} · ${t(textKey, { when: formatTimestamp(expiresAt) })}`;
}

/** The name of the key's escalation policy; nothing if the key has none. */
function KeyPolicy({ apiKey: { escalationPolicyId } }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation();
  const { data: policies = [] } = useQuery({
    ...policiesQuery,
    enabled: escalationPolicyId !== null,
  });
  const policy = policies.find(({ id }) => id === escalationPolicyId);
  if (policy === undefined) return null;
  return (
    <Text size="sm" c="dimmed">
      {t("policy.key.shown", { name: policy.name })}
    </Text>
  );
}

function KeyBadges({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation();
  const { hint, replacedBy, postOnly, dialect } = apiKey;
  return (
    <>
      <Code>…{hint}</Code>
      {dialect !== null && (
        <Badge variant="light" color="gray" tt="none">
          {SERVICE_NAMES[dialect]}
        </Badge>
      )}
      {postOnly && (
        <Badge variant="light" color="gray">
          {t("key.postOnly")}
        </Badge>
      )}
      {replacedBy !== null && (
        <Badge variant="light" color="yellow">
          {t("key.replaced")}
        </Badge>
      )}
    </>
  );
}

interface KeyMenuProps {
  readonly apiKey: ApiKey;
  readonly onSelect: (dialog: DialogName) => void;
}

function KeyMenu({ apiKey, onSelect }: KeyMenuProps) {
  const { t } = useTranslation();
  const { hint, replacedBy } = apiKey;
  return (
    <ActionsMenu label={t("key.actions", { hint })}>
      {replacedBy === null && (
        <Menu.Item
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={() => onSelect("rotate")}
        >
          {t("key.rotate")}
        </Menu.Item>
      )}
      <PostOnlyItem apiKey={apiKey} />
      <Menu.Item
        leftSection={<IconStairsUp size={16} aria-hidden />}
        onClick={() => onSelect("policy")}
      >
        {t("policy.key.choose")}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconSignature size={16} aria-hidden />}
        onClick={() => onSelect("callback-secret")}
      >
        {t("key.callbackSecret")}
      </Menu.Item>
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onSelect("revoke")}
      >
        {t("key.revoke")}
      </Menu.Item>
    </ActionsMenu>
  );
}

/** A menu item that allows or refuses GET with a key. Without GET, opening the key's webhook URL sends nothing. */
function PostOnlyItem({ apiKey: { id, hint, postOnly } }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const Icon = postOnly ? IconLink : IconLinkOff;
  const { start } = useAction(async () => {
    await setPostOnly(queryClient, id, !postOnly);
    showToast(t(postOnly ? "key.getAllowed" : "key.getRefused", { hint }));
  });
  return (
    <Menu.Item leftSection={<Icon size={16} aria-hidden />} onClick={start}>
      {t(postOnly ? "key.allowGet" : "key.refuseGet")}
    </Menu.Item>
  );
}
