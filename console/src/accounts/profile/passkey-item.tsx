import { Menu, Text } from "@mantine/core";
import { IconFingerprint, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { Passkey } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { isNotFound } from "../../errors.ts";
import { ActionsMenu } from "../../page/actions-menu.tsx";
import { ConfirmDialog } from "../../page/confirm-dialog.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { Form } from "../../page/form.tsx";
import { ListItem } from "../../page/list.tsx";
import { formatTimestamp } from "../../page/timestamp.tsx";
import { showToast } from "../../page/toasts.ts";
import { toPairedSessionError } from "./to-paired-session-error.ts";
import { passkeysQuery, refetchQueries } from "./profile-queries.ts";

/** A passkey in the list, with a menu to rename or remove it. */
export function PasskeyItem({ passkey }: { readonly passkey: Passkey }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [openDialog, setOpenDialog] = useState<"rename" | "remove" | null>(null);
  const { id, name, createdAt, lastUsedAt } = passkey;
  const close = () => setOpenDialog(null);
  const remove = async () => {
    await client.passkeys.remove(id).catch((error: unknown) => {
      if (!isNotFound(error)) throw toPairedSessionError(error);
    });
    await refetchQueries(queryClient, passkeysQuery);
    showToast(t("profile.passkeyRemoved", { name }));
  };
  return (
    <ListItem
      icon={IconFingerprint}
      title={name}
      actions={<PasskeyMenu name={name} onSelect={setOpenDialog} />}
    >
      <Text size="sm" c="dimmed">
        {lastUsedAt === null
          ? t("profile.neverUsed", { when: formatTimestamp(createdAt) })
          : t("profile.lastUsed", { when: formatTimestamp(lastUsedAt) })}
      </Text>
      <ConfirmDialog
        isOpen={openDialog === "remove"}
        title={t("profile.removePasskeyTitle", { name })}
        message={t("profile.removePasskeyText")}
        actionLabel={t("profile.remove")}
        onConfirm={remove}
        onClose={close}
      />
      <RenamePasskeyDialog passkey={passkey} isOpen={openDialog === "rename"} onClose={close} />
    </ListItem>
  );
}

interface PasskeyMenuProps {
  readonly name: string;
  readonly onSelect: (action: "rename" | "remove") => void;
}

function PasskeyMenu({ name, onSelect }: PasskeyMenuProps) {
  const { t } = useTranslation();
  return (
    <ActionsMenu label={t("profile.actions", { name })} size={36}>
      <Menu.Item
        leftSection={<IconPencil size={16} aria-hidden />}
        onClick={() => onSelect("rename")}
      >
        {t("profile.rename")}
      </Menu.Item>
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onSelect("remove")}
      >
        {t("profile.remove")}
      </Menu.Item>
    </ActionsMenu>
  );
}

interface RenamePasskeyDialogProps {
  readonly passkey: Passkey;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function RenamePasskeyDialog({ passkey: { id, name }, isOpen, onClose }: RenamePasskeyDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const field = {
    name: "name",
    label: t("profile.passkeyName"),
    type: "text",
    autoComplete: "off",
    initialValue: name,
    hasInitialFocus: true,
  } as const;
  const rename = async (getValue: (field: string) => string) => {
    await client.passkeys.update(id, { name: getValue("name") });
    await refetchQueries(queryClient, passkeysQuery);
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title={t("profile.renameTitle", { name })} onClose={onClose}>
      <Form fields={[field]} submitLabel={t("profile.save")} onSubmit={rename} />
    </Dialog>
  );
}
