import { Badge, Code, Menu, Text } from "@mantine/core";
import { IconKey, IconLink, IconLinkOff, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionsMenu } from "../page/actions-menu.tsx";
import { Confirm } from "../page/confirm.tsx";
import { ListItem } from "../page/list.tsx";
import { momentOf } from "../page/moment.tsx";
import { say } from "../page/toasts.ts";
import { useAction } from "../page/use-action.ts";
import { revokeKey, switchKey } from "./key-queries.ts";
import { RotateKey } from "./rotate-key.tsx";

/** One API key of the list, without its secret. */
export function KeyItem({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<"rotate" | "revoke" | null>(null);
  const { id, label, hint } = apiKey;
  const close = () => setAsked(null);
  return (
    <ListItem
      icon={IconKey}
      title={label ?? t("key.unnamed")}
      badge={<Badges apiKey={apiKey} />}
      actions={<KeyMenu apiKey={apiKey} onAsk={setAsked} />}
    >
      <Text size="sm" c="dimmed">
        {useLifeOf(apiKey)}
      </Text>
      <Confirm
        isOpen={asked === "revoke"}
        title={t("key.revokeTitle", { hint })}
        text={t("key.revokeText")}
        action={t("key.revoke")}
        run={async () => {
          await revokeKey(queryClient, id);
          say(t("key.revoked", { hint }));
        }}
        onClose={close}
      />
      <RotateKey apiKey={apiKey} isOpen={asked === "rotate"} onClose={close} />
    </ListItem>
  );
}

/** Returns, in words, when a key was last used and when it expires. */
function useLifeOf({ createdAt, lastUsedAt, expiresAt, replacedBy }: ApiKey): string {
  const { t } = useTranslation();
  const use =
    lastUsedAt === null
      ? t("key.neverUsed", { when: momentOf(createdAt) })
      : t("key.used", { when: momentOf(lastUsedAt) });
  if (expiresAt === null) return use;
  const end = replacedBy === null ? "key.expires" : "key.worksUntil";
  return `${use} · ${t(end, { when: momentOf(expiresAt) })}`;
}

function Badges({ apiKey: { hint, replacedBy, postOnly } }: { readonly apiKey: ApiKey }) {
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
  readonly onAsk: (what: "rotate" | "revoke") => void;
}

function KeyMenu({ apiKey, onAsk }: KeyMenuProps) {
  const { t } = useTranslation();
  const { hint, replacedBy } = apiKey;
  return (
    <ActionsMenu label={t("key.actions", { hint })}>
      {replacedBy === null && (
        <Menu.Item
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={() => onAsk("rotate")}
        >
          {t("key.rotate")}
        </Menu.Item>
      )}
      <SwitchItem apiKey={apiKey} />
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onAsk("revoke")}
      >
        {t("key.revoke")}
      </Menu.Item>
    </ActionsMenu>
  );
}

/** Switches a key between POST alone, so that opening its address sends nothing, and GET too. */
function SwitchItem({ apiKey: { id, hint, postOnly } }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const Icon = postOnly ? IconLink : IconLinkOff;
  const { start } = useAction(async () => {
    await switchKey(queryClient, id, !postOnly);
    say(t(postOnly ? "key.getAllowed" : "key.getRefused", { hint }));
  });
  return (
    <Menu.Item leftSection={<Icon size={16} aria-hidden />} onClick={start}>
      {t(postOnly ? "key.allowGet" : "key.refuseGet")}
    </Menu.Item>
  );
}
