import { Badge, Text } from "@mantine/core";
import { IconBrowser, IconDeviceMobile } from "@tabler/icons-react";
import type { Device } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ListItem } from "../page/list.tsx";
import { say } from "../page/toasts.ts";
import { DeviceMenu } from "./device-menu.tsx";
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
