import { Group, Skeleton, Text } from "@mantine/core";
import {
  IconBell,
  IconBellCheck,
  IconBellOff,
  IconDeviceMobile,
  IconPlugConnectedX,
  IconUserShare,
  type Icon,
} from "@tabler/icons-react";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../page/action-button.tsx";
import { ErrorState } from "../page/query-states.tsx";
import { isAppleMobile } from "./browser.ts";
import type { Capability, findObstacle } from "./capability.ts";
import { HomeScreenSteps } from "./pairing/home-screen-steps.tsx";
import type { ThisDevice } from "./this-device.ts";
import classes from "./this-device-panel.module.css";
import { findPermissionSetting } from "./permission-setting.ts";
import { usePermissionChange } from "./use-permission-change.ts";
import { useThisDevice } from "./use-this-device.ts";

/** The state of notifications in this browser, with buttons that change it or advice that removes an obstacle. */
export function ThisDevicePanel() {
  const { t } = useTranslation();
  const { query } = useThisDevice();
  const { refetch } = query;
  usePermissionChange(useCallback(() => void refetch(), [refetch]));
  const { data, error } = query;
  if (data === undefined) {
    return (
      <section className={classes["panel"]} aria-label={t("device.this")}>
        {error === null ? (
          <div className={classes["text"]} role="status" aria-label={t("device.checking")}>
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
        {capability !== "needs-home-screen" && (
          <Text size="sm" c="dimmed">
            {t(`capability.${capability}.text`)}
          </Text>
        )}
        {isObstacle(capability) && <Remedy obstacle={capability} />}
      </div>
      {capability === "needs-home-screen" ? null : isObstacle(capability) ? (
        <ActionButton variant="default" run={async () => void (await query.refetch())}>
          {t("device.checkAgain")}
        </ActionButton>
      ) : (
        <ThisDeviceActions {...data} />
      )}
    </section>
  );
}

function Remedy({ obstacle }: { readonly obstacle: Obstacle }) {
  const { t } = useTranslation();
  if (obstacle === "needs-home-screen") return <HomeScreenSteps />;
  if (obstacle !== "denied") return <Text size="sm">{t(`capability.${obstacle}.remedy`)}</Text>;
  const setting = findPermissionSetting(navigator.userAgent, { isAppleMobile: isAppleMobile() });
  return <Text size="sm">{t(`capability.denied.${setting}`)}</Text>;
}

/** The buttons that turn notifications on or off in this browser, or test them. */
export function ThisDeviceActions({ capability, deviceId }: ThisDevice) {
  const { t } = useTranslation();
  const { turnOn, turnOff, sendTest } = useThisDevice();
  if (capability === "off" || capability === "elsewhere") {
    return <ActionButton run={turnOn}>{t("device.turnOn")}</ActionButton>;
  }
  if (capability === "other-key") {
    return <ActionButton run={turnOn}>{t("device.connectAgain")}</ActionButton>;
  }
  if (deviceId === null) return null;
  return (
    <Group gap="xs">
      <ActionButton run={() => sendTest(deviceId)}>{t("device.sendTest")}</ActionButton>
      <ActionButton variant="default" run={turnOff}>
        {t("device.turnOff")}
      </ActionButton>
    </Group>
  );
}

type Obstacle = NonNullable<ReturnType<typeof findObstacle>>;

/** Returns whether only the person can enable notifications. The panel then explains how. */
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
  elsewhere: IconUserShare,
  "other-key": IconPlugConnectedX,
  on: IconBellCheck,
};
