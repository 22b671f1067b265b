import { Button, Loader, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import type { Device, DeviceResult } from "@tocsin/sdk";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { getErrorMessage } from "../errors.ts";
import { ActionButton } from "../page/action-button.tsx";
import { localizeTimes } from "../page/localize-times.ts";
import classes from "./apps.module.css";

interface AppConnectionProps {
  readonly isReady: boolean;
  /** The device of the app; null before the app has signed in. */
  readonly device: Device | null;
  readonly appName: string;
  readonly onDone: () => void;
  /** Further content once the app has connected. */
  readonly children?: ReactNode;
}

/** Waits until an app has connected, and then offers a test notification. */
export function AppConnection({ isReady, device, appName, onDone, children }: AppConnectionProps) {
  const { t } = useTranslation();
  return (
    <div className={classes["state"]}>
      <div role="status" className={classes["stateLine"]} data-connected={isReady}>
        {isReady && device !== null ? (
          <>
            <IconCircleCheck size={22} aria-hidden className={classes["connected"]} />
            <Text size="sm" fw={600}>
              {t("app.connectedNow", { app: appName, name: device.name })}
            </Text>
          </>
        ) : (
          <>
            <Loader size={18} aria-hidden />
            <Text size="sm">{t("app.waiting", { app: appName })}</Text>
          </>
        )}
      </div>
      {isReady && device !== null && <TestButtons deviceId={device.id} onDone={onDone} />}
      {isReady && children}
    </div>
  );
}

function TestButtons({
  deviceId,
  onDone,
}: {
  readonly deviceId: string;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation();
  const [result, setResult] = useState<DeviceResult | null>(null);
  const test = async () => {
    setResult(null);
    setResult(await client.devices.test(deviceId));
  };
  const showFailure = (error: unknown) =>
    setResult({ success: false, message: getErrorMessage(error) });
  return (
    <>
      <div className={classes["buttons"]}>
        <ActionButton run={test} onError={showFailure}>
          {t("app.test")}
        </ActionButton>
        <Button variant="default" onClick={onDone}>
          {t("app.done")}
        </Button>
      </div>
      <div role="status">
        {result !== null && (
          <Text size="sm" c={result.success ? "var(--tocsin-good)" : "var(--mantine-color-error)"}>
            {localizeTimes(result.message)}
          </Text>
        )}
      </div>
    </>
  );
}
