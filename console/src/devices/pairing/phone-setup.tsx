import { Alert, Button, Skeleton, Text } from "@mantine/core";
import { IconCheck, IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { ButtonLink } from "../../page/button-link.tsx";
import { ErrorState } from "../../page/query-states.tsx";
import { PATHS } from "../../paths.ts";
import { ThisDevicePanel } from "../this-device-panel.tsx";
import { useThisDevice } from "../use-this-device.ts";
import { HomeScreenSteps } from "./home-screen-steps.tsx";
import { useInstallPrompt } from "./use-install-prompt.ts";
import classes from "./phone-setup.module.css";

/** The states that allow turning notifications on. */
const STATES_TO_TURN_ON = ["off", "other-key", "other-account"] as const;

/** The next step on a newly paired device: turn notifications on, or first add the console to the Home Screen. */
export function PhoneSetup() {
  const { t } = useTranslation();
  const { query, turnOn, sendTest } = useThisDevice();
  const { data, error } = query;
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={() => void query.refetch()} />;
    return <Skeleton height={44} role="status" aria-label={t("device.checking")} />;
  }
  const { notificationState, deviceId } = data;
  if (notificationState === "needs-home-screen") return <HomeScreenSteps />;
  if (STATES_TO_TURN_ON.some((candidate) => candidate === notificationState)) {
    return (
      <div className={classes["phone"]} data-notification-state={notificationState}>
        <Text size="sm">
          {t(
            notificationState === "other-account"
              ? "notificationState.other-account.text"
              : "pairing.lastStep",
          )}
        </Text>
        <ActionButton size="md" run={turnOn}>
          {t("device.turnOn")}
        </ActionButton>
      </div>
    );
  }
  if (notificationState !== "on" || deviceId === null) return <ThisDevicePanel />;
  return (
    <div className={classes["phone"]} data-notification-state={notificationState}>
      <Alert color="green" icon={<IconCheck size={18} aria-hidden />} role="status">
        {t("pairing.ready")}
      </Alert>
      <ButtonLink size="md" to={PATHS.feed}>
        {t("pairing.open")}
      </ButtonLink>
      <ActionButton variant="default" run={() => sendTest(deviceId)}>
        {t("device.sendTest")}
      </ActionButton>
      <InstallButton />
    </div>
  );
}

/** A button that installs the page as an app; renders nothing if the browser cannot. */
export function InstallButton() {
  const { t } = useTranslation();
  const install = useInstallPrompt();
  if (install === null) return null;
  return (
    <Button
      variant="subtle"
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => void install()}
    >
      {t("pairing.install")}
    </Button>
  );
}
