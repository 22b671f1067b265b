import { Group, Skeleton, Text } from "@mantine/core";
import {
  IconBell,
  IconBellCheck,
  IconBellOff,
  IconDeviceMobile,
  IconPlugConnectedX,
  type Icon,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../page/action-button.tsx";
import { ErrorState } from "../page/states.tsx";
import type { Capability, obstacleOf } from "./capability.ts";
import type { ThisDevice } from "./this-device.ts";
import classes from "./this-device-panel.module.css";
import { useThisDevice } from "./use-this-device.ts";

/** What notifications in this browser are, what is in their way and how to mend it. */
export function ThisDevicePanel() {
  const { t } = useTranslation();
  const { query } = useThisDevice();
  const { data, error } = query;
  if (data === undefined) {
    return (
      <section className={classes["panel"]} aria-label={t("device.this")}>
        {error === null ? (
          <div className={classes["text"]} role="status" aria-label={t("device.looking")}>
            <Skeleton height={20} width="40%" />
            <Skeleton height={14} width="70%" />
          </div>
        ) : (
          <ErrorState error={error} onRetry={() => void query.refetch()} />
        )}
      </section>
    );
  }
  const { capability } = data;
  const PanelIcon = ICONS[capability];
  return (
    <section
      className={classes["panel"]}
      aria-label={t("device.this")}
      data-capability={capability}
    >
      <span className={classes["icon"]}>
        <PanelIcon size={24} stroke={1.75} aria-hidden />
      </span>
      <div className={classes["text"]} role="status">
        <Text fw={600}>{t(`capability.${capability}.title`)}</Text>
        <Text size="sm" c="dimmed">
          {t(`capability.${capability}.text`)}
        </Text>
        {isObstacle(capability) && <Text size="sm">{t(`capability.${capability}.next`)}</Text>}
      </div>
      <ThisDeviceActions {...data} />
    </section>
  );
}

/** What can be done about notifications in this browser. */
export function ThisDeviceActions({ capability, deviceId }: ThisDevice) {
  const { t } = useTranslation();
  const { turnOn, turnOff, test } = useThisDevice();
  if (capability === "off") {
    return <ActionButton run={turnOn}>{t("device.turnOn")}</ActionButton>;
  }
  if (capability === "other-key") {
    return <ActionButton run={turnOn}>{t("device.connectAgain")}</ActionButton>;
  }
  if (deviceId === null) return null;
  return (
    <Group gap="xs">
      <ActionButton run={() => test(deviceId)}>{t("device.sendTest")}</ActionButton>
      <ActionButton variant="default" run={turnOff}>
        {t("device.turnOff")}
      </ActionButton>
    </Group>
  );
}

type Obstacle = NonNullable<ReturnType<typeof obstacleOf>>;

/** Only the person can take it away, and must be told how. */
function isObstacle(capability: Capability): capability is Obstacle {
  return OBSTACLES.some((obstacle) => obstacle === capability);
}

const OBSTACLES: readonly Obstacle[] = ["insecure", "needs-home-screen", "unsupported", "denied"];

const ICONS: Readonly<Record<Capability, Icon>> = {
  insecure: IconBellOff,
  "needs-home-screen": IconDeviceMobile,
  unsupported: IconBellOff,
  denied: IconBellOff,
  off: IconBell,
  "other-key": IconPlugConnectedX,
  on: IconBellCheck,
};
