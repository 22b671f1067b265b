import { Menu, Text } from "@mantine/core";
import { IconLink, IconPencil, IconSend, IconStack2, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Device, DeviceGroup } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionsMenu } from "../../page/actions-menu.tsx";
import { ConfirmDialog } from "../../page/confirm-dialog.tsx";
import { ListItem } from "../../page/list.tsx";
import { PATHS } from "../../paths.ts";
import { EditGroupDialog } from "./edit-group-dialog.tsx";
import { GroupCommandDialog } from "./group-command-dialog.tsx";
import { removeGroup } from "./group-queries.ts";

interface GroupItemProps {
  readonly group: DeviceGroup;
  readonly devices: readonly Device[];
}

type DialogName = "edit" | "command" | "remove";

/** A group in the list, with its devices and its actions. */
export function GroupItem({ group, devices }: GroupItemProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [openDialog, setOpenDialog] = useState<DialogName | null>(null);
  const { id, name, deviceIds } = group;
  const names = devices
    .filter((device) => deviceIds.includes(device.id))
    .map((device) => device.name);
  const close = () => setOpenDialog(null);
  return (
    <ListItem
      icon={IconStack2}
      title={name}
      id={id}
      actions={<GroupMenu group={group} onSelect={setOpenDialog} />}
    >
      <Text size="sm" c="dimmed" lineClamp={3}>
        {names.length === 0 ? t("group.noMembers") : names.join(", ")}
      </Text>
      {openDialog === "edit" && <EditGroupDialog group={group} devices={devices} onClose={close} />}
      {openDialog === "command" && <GroupCommandDialog group={group} onClose={close} />}
      <ConfirmDialog
        isOpen={openDialog === "remove"}
        title={t("group.removeTitle", { name })}
        message={t("group.removeText")}
        actionLabel={t("group.remove")}
        onConfirm={() => removeGroup(queryClient, id)}
        onClose={close}
      />
    </ListItem>
  );
}

interface GroupMenuProps {
  readonly group: DeviceGroup;
  readonly onSelect: (dialog: DialogName) => void;
}

function GroupMenu({ group: { id, name }, onSelect }: GroupMenuProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <ActionsMenu label={t("group.actions", { name })}>
      <Menu.Item
        leftSection={<IconPencil size={16} aria-hidden />}
        onClick={() => onSelect("edit")}
      >
        {t("group.edit")}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconSend size={16} aria-hidden />}
        onClick={() => void navigate({ to: PATHS.send, search: { group: id } })}
      >
        {t("group.send")}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconLink size={16} aria-hidden />}
        onClick={() => onSelect("command")}
      >
        {t("group.address")}
      </Menu.Item>
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onSelect("remove")}
      >
        {t("group.remove")}
      </Menu.Item>
    </ActionsMenu>
  );
}
