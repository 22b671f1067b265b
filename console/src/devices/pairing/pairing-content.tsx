import { Skeleton } from "@mantine/core";
import type { Device } from "@tocsin/sdk";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../page/query-states.tsx";
import { showToast } from "../../page/toasts.ts";
import { PATHS } from "../../paths.ts";
import { PairedStatus, PairingLink, ReachabilityWarning } from "./pairing-link.tsx";
import classes from "./pairing.module.css";
import { PhoneSteps } from "./phone-steps.tsx";
import { useNewDevice } from "./use-new-device.ts";
import { usePairing } from "./use-pairing.ts";

/** Adds a phone with the console as its app. Its pairing ends when it unmounts. */
export function PairingContent({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const { pairing, isUsed, renew } = usePairing();
  const handleNewDevice = useCallback(
    ({ name }: Device) => {
      showToast(t("pairing.connected", { name }));
      onDone();
    },
    [t, onDone],
  );
  useNewDevice(handleNewDevice);
  if (pairing.isError) return <ErrorState error={pairing.error} onRetry={renew} />;
  return (
    <div className={classes["pairing"]}>
      {pairing.data !== undefined && !isUsed && <ReachabilityWarning url={pairing.data.url} />}
      <div className={classes["offer"]}>
        {pairing.data === undefined ? (
          <div role="status" aria-label={t("pairing.creating")}>
            <Skeleton className={classes["square"] ?? ""} />
          </div>
        ) : isUsed ? (
          <PairedStatus />
        ) : (
          <PairingLink pairing={pairing.data} onRenew={renew} />
        )}
      </div>
      <PhoneSteps isPaired={isUsed} pageUrl={toTypedUrl(pairing.data?.url)} />
    </div>
  );
}

/** Returns the URL of the pairing page without its protocol, as people type it. */
function toTypedUrl(url: string = location.href): string {
  return new URL(url).host + PATHS.pairing;
}
