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
import type { NotificationObstacle, NotificationState } from "./notification-state.ts";
import { HomeScreenSteps } from "./pairing/home-screen-steps.tsx";
import type { ThisDevice } from "./this-device.ts";
import classes from "./this-device-panel.module.css";
import { findPermissionSettingKind } from "./permission-setting.ts";
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
  const { notificationState } = data;
  const PanelIcon = ICONS[notificationState];
  return (
    <section
      className={classes["panel"]}
      aria-label={t("device.this")}
      data-notification-state={notificationState}
    >
      <span className={classes["icon"]}>
        <PanelIcon size={24} stroke={1.75} aria-hidden />
      </span>
      <div className={classes["text"]} role="status">
        <Text fw={600}>{t(`notificationState.${notificationState}.title`)}</Text>
        {notificationState !== "needs-home-screen" && (
          <Text size="sm" c="dimmed">
            {t(`notificationState.${notificationState}.text`)}
          </Text>
        )}
        {isObstacle(notificationState) && <Remedy obstacle={notificationState} />}
      </div>
      {notificationState === "needs-home-screen" ? null : isObstacle(notificationState) ? (
        <ActionButton variant="default" run={async () => void (await query.refetch())}>
          {t("device.checkAgain")}
        </ActionButton>
      ) : (
        <ThisDeviceActions {...data} />
      )}
    </section>
  );
}

function Remedy({ obstacle }: { readonly obstacle: NotificationObstacle }) {
  const { t } = useTranslation();
  if (obstacle === "needs-home-screen") return <HomeScreenSteps />;
  if (obstacle !== "denied")
    return <Text size="sm">{t(`notificationState.${obstacle}.remedy`)}</Text>;
  const setting = findPermissionSettingKind(navigator.userAgent, {
    isAppleMobile: isAppleMobile(),
  });
  return <Text size="sm">{t(`notificationState.denied.${setting}`)}</Text>;
}

/** The buttons that turn notifications on or off in this browser, or test them. */
export function ThisDeviceActions({ notificationState, deviceId }: ThisDevice) {
  const { t } = useTranslation();
  const { turnOn, turnOff, sendTest } = useThisDevice();
  if (notificationState === "off" || notificationState === "other-account") {
    return <ActionButton run={turnOn}>{t("device.turnOn")}</ActionButton>;
  }
  if (notificationState === "other-key") {
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

/** Returns whether a state is an obstacle. The panel then shows a remedy instead of the buttons. */
function isObstacle(
  notificationState: NotificationState,
): notificationState is NotificationObstacle {
  return OBSTACLES.some((obstacle) => obstacle === notificationState);
}

const OBSTACLES: readonly NotificationObstacle[] = [
  "insecure",
  "needs-home-screen",
  "unsupported",
  "denied",
];

const ICONS: Readonly<Record<NotificationState, Icon>> = {
  insecure: IconBellOff,
  "needs-home-screen": IconDeviceMobile,
  unsupported: IconBellOff,
  denied: IconBellOff,
  off: IconBell,
  "other-account": IconUserShare,
  "other-key": IconPlugConnectedX,
  on: IconBellCheck,
};
