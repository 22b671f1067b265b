import { Badge, Code, Menu, Text } from "@mantine/core";
import { IconKey, IconLink, IconLinkOff, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionsMenu } from "../page/actions-menu.tsx";
import { ConfirmDialog } from "../page/confirm-dialog.tsx";
import { ListItem } from "../page/list.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { showToast } from "../page/toasts.ts";
import { useAction } from "../page/use-action.ts";
import { revokeKey, setPostOnly } from "./key-queries.ts";
import { RotateKeyDialog } from "./rotate-key-dialog.tsx";

/** An API key in the list, without its secret. */
export function KeyItem({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [openDialog, setOpenDialog] = useState<"rotate" | "revoke" | null>(null);
  const { id, label, hint } = apiKey;
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
      <ConfirmDialog
        isOpen={openDialog === "revoke"}
        title={t("key.revokeTitle", { hint })}
        message={t("key.revokeText")}
        actionLabel={t("key.revoke")}
        onConfirm={async () => {
          await revokeKey(queryClient, id);
          showToast(t("key.revoked", { hint }));
        }}
        onClose={close}
      />
      <RotateKeyDialog apiKey={apiKey} isOpen={openDialog === "rotate"} onClose={close} />
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

function KeyBadges({ apiKey: { hint, replacedBy, postOnly } }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation();
  return (
    <>
      <Code>…{hint}</Code>
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
  readonly onSelect: (dialog: "rotate" | "revoke") => void;
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
