import { Button, Modal, Skeleton } from "@mantine/core";
import { IconDeviceMobilePlus } from "@tabler/icons-react";
import type { Device } from "@tocsin/sdk";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../page/states.tsx";
import { showToast } from "../../page/toasts.ts";
import { PATHS } from "../../paths.ts";
import { PairedStatus, PairingLink, ReachabilityWarning } from "./pairing-link.tsx";
import classes from "./pairing.module.css";
import { PhoneSteps } from "./phone-steps.tsx";
import { useArrival } from "./use-arrival.ts";
import { usePairing } from "./use-pairing.ts";

/** A button and its dialog to add a phone. */
export function AddPhone({ variant = "filled" }: { readonly variant?: "filled" | "default" }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  return (
    <>
      <Button
        variant={variant}
        leftSection={<IconDeviceMobilePlus size={18} stroke={1.75} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t("pairing.add")}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title={t("pairing.add")}
        closeButtonProps={{ "aria-label": t("shell.close") }}
      >
        <Pairing onDone={close} />
      </Modal>
    </>
  );
}

/** The content of the dialog. Its pairing ends when it unmounts. */
function Pairing({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const { pairing, isUsed, renew } = usePairing();
  const handleArrival = useCallback(
    ({ name }: Device) => {
      showToast(t("pairing.arrived", { name }));
      onDone();
    },
    [t, onDone],
  );
  useArrival(handleArrival);
  if (pairing.isError) return <ErrorState error={pairing.error} onRetry={renew} />;
  return (
    <div className={classes["pairing"]}>
      {pairing.data !== undefined && !isUsed && <ReachabilityWarning url={pairing.data.url} />}
      <div className={classes["offer"]}>
        {pairing.data === undefined ? (
          <div role="status" aria-label={t("pairing.making")}>
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
  return new URL(url).host + PATHS.add;
}
