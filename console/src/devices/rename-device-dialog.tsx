import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Device } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { Form } from "../page/form.tsx";
import { applyDevice } from "./device-queries.ts";

interface RenameDeviceDialogProps {
  readonly device: Device;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that renames a device. */
export function RenameDeviceDialog({
  device: { id, name },
  isOpen,
  onClose,
}: RenameDeviceDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const field = {
    name: "name",
    label: t("deviceList.name"),
    type: "text",
    autoComplete: "off",
    initialValue: name,
  } as const;
  const rename = async (getValue: (field: string) => string) => {
    applyDevice(queryClient, await client.devices.update(id, { name: getValue("name") }));
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("deviceList.renameTitle", { name })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Form fields={[field]} submitLabel={t("deviceList.save")} onSubmit={rename} />
    </Modal>
  );
}
