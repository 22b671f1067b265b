import { Button, Skeleton, Text } from "@mantine/core";
import type { Device, CreatedPairing } from "@tocsin/sdk";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { devicesQuery } from "../devices/device-queries.ts";
import { ownRegistrations } from "../devices/own-registrations.ts";
import { formatCountdown, formatPairingCode } from "../devices/pairing/pairing-code.ts";
import pairingClasses from "../devices/pairing/pairing.module.css";
import { useNewDevice } from "../devices/pairing/use-new-device.ts";
import { useNow } from "../devices/pairing/use-now.ts";
import { usePairing } from "../devices/pairing/use-pairing.ts";
import { CopyableLine } from "../page/copyable-line.tsx";
import { ErrorState } from "../page/query-states.tsx";
import { AppConnection } from "./app-connection.tsx";
import { APP_NAMES } from "./app-facts.ts";
import { AppStep } from "./app-step.tsx";
import classes from "./apps.module.css";
import { useIsReady } from "./use-is-ready.ts";
import { LocalAddressWarning } from "./local-address-warning.tsx";

/** Adds the Gotify app, which signs in with the code of a pairing instead of a password. */
export function AddGotifyApp({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const { pairing, renew } = usePairing();
  const device = useNewGotifyDevice();
  const isReady = useIsReady(device);
  if (pairing.isError) return <ErrorState error={pairing.error} onRetry={renew} />;
  if (pairing.data === undefined) {
    return <Skeleton height={160} role="status" aria-label={t("pairing.creating")} />;
  }
  return (
    <div className={classes["setup"]}>
      {!isReady && (
        <>
          <LocalAddressWarning url={pairing.data.url} />
          <GotifySteps pairing={pairing.data} onRenew={renew} />
        </>
      )}
      <AppConnection isReady={isReady} device={device} appName={APP_NAMES.gotify} onDone={onDone} />
    </div>
  );
}

/**
 * Returns the device of the app that signed in while the dialog is open; null before. The page does not warn about this
 * device.
 */
function useNewGotifyDevice(): Device | null {
  const [id, setId] = useState<string | null>(null);
  const { data: devices } = useQuery(devicesQuery);
  const register = useRef<(device: Device) => void>(() => {});
  useEffect(() => {
    const registration = Promise.withResolvers<Device>();
    register.current = registration.resolve;
    ownRegistrations.run(() => registration.promise).catch(() => {});
    return () => registration.reject(new Error("The dialog was closed."));
  }, []);
  const handleNewDevice = useCallback((device: Device) => {
    if (device.app?.client !== "gotify") return;
    register.current(device);
    setId(device.id);
  }, []);
  useNewDevice(handleNewDevice);
  return devices?.find((device) => device.id === id) ?? null;
}

interface GotifyStepsProps {
  readonly pairing: CreatedPairing;
  readonly onRenew: () => void;
}

function GotifySteps({ pairing: { url, code, expiresAt }, onRenew }: GotifyStepsProps) {
  const { t } = useTranslation();
  const { email } = useAccount();
  const remainingMs = Date.parse(expiresAt) - useNow();
  return (
    <ol className={pairingClasses["list"]}>
      <AppStep title={t("app.gotify.address")} text={t("app.gotify.addressText")}>
        <div className={classes["fields"]}>
          <CopyableLine name={t("app.address")} text={new URL(url).origin} />
        </div>
      </AppStep>
      <AppStep title={t("app.gotify.signIn")} text={t("app.gotify.signInText")}>
        <div className={classes["fields"]}>
          <CopyableLine name={t("app.userName")} text={email} />
          {remainingMs > 0 && (
            <CopyableLine name={t("app.gotify.code")} text={formatPairingCode(code)} />
          )}
          <div className={classes["remaining"]}>
            <Text size="sm" c="dimmed" role="timer" aria-label={t("pairing.remainingTime")}>
              {remainingMs > 0
                ? t("pairing.validFor", { time: formatCountdown(remainingMs) })
                : t("pairing.expired")}
            </Text>
            <Button size="compact-sm" variant="subtle" onClick={onRenew}>
              {t("pairing.renew")}
            </Button>
          </div>
        </div>
      </AppStep>
      <AppStep title={t("app.gotify.client")} text={t("app.gotify.clientText")} />
    </ol>
  );
}
