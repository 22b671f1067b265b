import { Badge, Text } from "@mantine/core";
import { IconBrowser, IconDeviceMobile } from "@tabler/icons-react";
import type { Device, DeviceResult } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { getErrorMessage } from "../errors.ts";
import { ActionButton } from "../page/action-button.tsx";
import { localizeTimes } from "../page/localize-times.ts";
import { ListItem } from "../page/list.tsx";
import { formatConnection, formatService } from "../apps/format-app.ts";
import { isPhone, toDeviceStatus, type DeviceStatus } from "./device-facts.ts";
import { DeviceMenu } from "./device-menu.tsx";
import { DeviceHint, DeviceState } from "./device-state.tsx";

interface DeviceItemProps {
  readonly device: Device;
  /** Whether the device is the browser that shows this page. */
  readonly isThisBrowser: boolean;
  /** The names of the groups that contain the device. */
  readonly groupNames: readonly string[];
}

/** A device in the list, with its state and its actions. */
export function DeviceItem({ device, isThisBrowser, groupNames }: DeviceItemProps) {
  const { t } = useTranslation();
  const [result, setResult] = useState<DeviceResult | null>(null);
  const { id, name } = device;
  const connection = formatConnection(device);
  const test = async () => {
    setResult(null);
    setResult(await client.devices.test(id));
  };
  const showFailure = (error: unknown) =>
    setResult({ success: false, message: getErrorMessage(error) });
  return (
    <ListItem
      id={id}
      icon={isPhone(device) ? IconDeviceMobile : IconBrowser}
      title={name}
      badge={
        <>
          {isThisBrowser && <Badge variant="light">{t("deviceList.thisBadge")}</Badge>}
          <StatusBadge status={toDeviceStatus(device)} />
        </>
      }
      actions={
        <>
          <ActionButton
            size="xs"
            variant="default"
            aria-label={t("deviceList.actionOf", { action: t("deviceList.test"), name })}
            run={test}
            onError={showFailure}
          >
            {t("deviceList.test")}
          </ActionButton>
          <DeviceMenu device={device} />
        </>
      }
      footer={
        <>
          <DeviceHint device={device} />
          <div role="status">{result !== null && <TestResult {...result} />}</div>
        </>
      }
    >
      <DeviceState device={device} />
      <Text size="xs" c="dimmed">
        {t("deviceList.via", { service: formatService(device) })}
        {connection !== null && ` · ${connection}`}
        {groupNames.length > 0 &&
          ` · ${t("deviceList.inGroups", { groups: groupNames.join(", ") })}`}
      </Text>
    </ListItem>
  );
}

function StatusBadge({ status }: { readonly status: DeviceStatus }) {
  const { t } = useTranslation();
  if (status === "active") return null;
  return (
    <Badge variant="light" color={STATUS_COLORS[status]}>
      {t(`deviceList.${status}Badge`)}
    </Badge>
  );
}

const STATUS_COLORS = { paused: "gray", late: "yellow", trouble: "red" } as const;

function TestResult({ success, message }: DeviceResult) {
  const { t } = useTranslation();
  return (
    <Text size="sm" c={success ? "var(--tocsin-good)" : "var(--mantine-color-error)"}>
      {t("deviceList.testOutcome", { message: localizeTimes(message) })}
    </Text>
  );
}
