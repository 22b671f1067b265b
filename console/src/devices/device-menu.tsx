import { Menu } from "@mantine/core";
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { Device } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionsMenu } from "../page/actions-menu.tsx";
import { ConfirmDialog } from "../page/confirm-dialog.tsx";
import { useAction } from "../page/use-action.ts";
import { applyDevice, removeCachedDevice } from "./device-queries.ts";
import { removeDevice } from "./remove-device.ts";
import { RenameDeviceDialog } from "./rename-device-dialog.tsx";

/** The menu for renaming, pausing, resuming or removing a device. */
export function DeviceMenu({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [openDialog, setOpenDialog] = useState<"rename" | "remove" | null>(null);
  const { id, name, paused } = device;
  const PauseOrResumeIcon = paused ? IconPlayerPlay : IconPlayerPause;
  const { start: pauseOrResume } = useAction(async () =>
    applyDevice(queryClient, await client.devices.update(id, { paused: !paused })),
  );
  const remove = async () => {
    await removeDevice(id);
    removeCachedDevice(queryClient, id);
  };
  const closeDialog = () => setOpenDialog(null);
  return (
    <>
      <ActionsMenu label={t("deviceList.actions", { name })}>
        <Menu.Item
          leftSection={<IconPencil size={16} aria-hidden />}
          onClick={() => setOpenDialog("rename")}
        >
          {t("deviceList.rename")}
        </Menu.Item>
        <Menu.Item
          leftSection={<PauseOrResumeIcon size={16} aria-hidden />}
          onClick={pauseOrResume}
        >
          {t(paused ? "deviceList.resume" : "deviceList.pause")}
        </Menu.Item>
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => setOpenDialog("remove")}
        >
          {t("deviceList.remove")}
        </Menu.Item>
      </ActionsMenu>
      <ConfirmDialog
        isOpen={openDialog === "remove"}
        title={t("deviceList.removeTitle", { name })}
        message={t("deviceList.removeText")}
        actionLabel={t("deviceList.remove")}
        onConfirm={remove}
        onClose={closeDialog}
      />
      <RenameDeviceDialog device={device} isOpen={openDialog === "rename"} onClose={closeDialog} />
    </>
  );
}
