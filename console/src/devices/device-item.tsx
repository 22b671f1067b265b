import { ActionIcon, Badge, Menu, Modal, Text } from "@mantine/core";
import {
  IconBrowser,
  IconDeviceMobile,
  IconDots,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { Device } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Confirm } from "../page/confirm.tsx";
import { Form } from "../page/form.tsx";
import { ListItem } from "../page/list.tsx";
import { say } from "../page/toasts.ts";
import { useAction } from "../page/use-action.ts";
import { takeDevice } from "./device-queries.ts";
import { DeviceState } from "./device-state.tsx";

export interface DeviceItemProps {
  readonly device: Device;
  /** It is the browser that shows this page. */
  readonly isThis: boolean;
}

/** One device of the list: how it stands, and what can be done with it. */
export function DeviceItem({ device, isThis }: DeviceItemProps) {
  const { t } = useTranslation();
  const { id, name, platform, endpointHost } = device;
  const test = async () => {
    const { success, message } = await client.devices.test(id);
    if (!success) throw new Error(`${name}: ${message}`);
    say(`${name}: ${message}`);
  };
  return (
    <ListItem
      id={id}
      icon={platform === "web" ? IconBrowser : IconDeviceMobile}
      title={name}
      badge={isThis && <Badge variant="light">{t("device.thisBadge")}</Badge>}
      actions={
        <>
          <ActionButton
            size="xs"
            variant="default"
            aria-label={t("device.actionOf", { action: t("device.test"), name })}
            run={test}
          >
            {t("device.test")}
          </ActionButton>
          <DeviceMenu device={device} />
        </>
      }
    >
      <DeviceState device={device} />
      {endpointHost !== null && (
        <Text size="xs" c="dimmed">
          {endpointHost}
        </Text>
      )}
    </ListItem>
  );
}

function DeviceMenu({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<"rename" | "remove" | null>(null);
  const { id, name, paused } = device;
  const { start: pause } = useAction(async () =>
    takeDevice(queryClient, id, await client.devices.update(id, { paused: !paused })),
  );
  const remove = async () => {
    await client.devices.remove(id);
    takeDevice(queryClient, id, null);
  };
  const close = () => setAsked(null);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={t("device.actions", { name })}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setAsked("rename")}
          >
            {t("device.rename")}
          </Menu.Item>
          <Menu.Item
            leftSection={
              paused ? (
                <IconPlayerPlay size={16} aria-hidden />
              ) : (
                <IconPlayerPause size={16} aria-hidden />
              )
            }
            onClick={pause}
          >
            {t(paused ? "device.resume" : "device.pause")}
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setAsked("remove")}
          >
            {t("device.remove")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        isOpen={asked === "remove"}
        title={t("device.removeTitle", { name })}
        text={t("device.removeText")}
        action={t("device.remove")}
        run={remove}
        onClose={close}
      />
      <Rename device={device} isOpen={asked === "rename"} onClose={close} />
    </>
  );
}

interface RenameProps {
  readonly device: Device;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Rename({ device: { id, name }, isOpen, onClose }: RenameProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const field = {
    name: "name",
    label: t("device.name"),
    type: "text",
    autoComplete: "off",
    initial: name,
  } as const;
  const rename = async (valueOf: (field: string) => string) => {
    takeDevice(queryClient, id, await client.devices.update(id, { name: valueOf("name") }));
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("device.renameTitle", { name })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Form fields={[field]} submit={t("device.save")} onSubmit={rename} />
    </Modal>
  );
}
