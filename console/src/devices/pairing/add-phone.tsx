import { Button, Modal, Skeleton } from "@mantine/core";
import { IconDeviceMobilePlus } from "@tabler/icons-react";
import type { Device } from "@tocsin/sdk";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../page/states.tsx";
import { say } from "../../page/toasts.ts";
import { PATHS } from "../../paths.ts";
import { CameIn, Invite, Unreachable } from "./invite.tsx";
import classes from "./pairing.module.css";
import { Steps } from "./steps.tsx";
import { useArrival } from "./use-arrival.ts";
import { usePairing } from "./use-pairing.ts";

/** Button that opens the dialog for adding a phone. */
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

/** Lives as long as the dialog is open. */
function Pairing({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const { pairing, isUsed, renew } = usePairing();
  const arrive = useCallback(
    ({ name }: Device) => {
      say(t("pairing.arrived", { name }));
      onDone();
    },
    [t, onDone],
  );
  useArrival(arrive);
  if (pairing.isError) return <ErrorState error={pairing.error} onRetry={renew} />;
  return (
    <div className={classes["pairing"]}>
      {pairing.data !== undefined && !isUsed && <Unreachable url={pairing.data.url} />}
      <div className={classes["offer"]}>
        {pairing.data === undefined ? (
          <div role="status" aria-label={t("pairing.making")}>
            <Skeleton className={classes["square"] ?? ""} />
          </div>
        ) : isUsed ? (
          <CameIn />
        ) : (
          <Invite pairing={pairing.data} onRenew={renew} />
        )}
      </div>
      <Steps isIn={isUsed} address={addressOf(pairing.data?.url)} />
    </div>
  );
}

/** The address as people type it: without the protocol. */
function addressOf(url: string = location.href): string {
  return new URL(url).host + PATHS.add;
}
