import { ActionIcon, Alert, Button, Text, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconCopy, IconRefresh } from "@tabler/icons-react";
import type { CreatedPairing } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { QrCode } from "../../page/qr-code.tsx";
import { formatCountdown, formatPairingCode } from "./pairing-code.ts";
import classes from "./pairing.module.css";
import { getReachability } from "./reachability.ts";
import { useNow } from "./use-now.ts";

interface PairingLinkProps {
  readonly pairing: CreatedPairing;
  readonly onRenew: () => void;
}

/** The pairing link as a QR code, the code to type instead, and the remaining time of both. */
export function PairingLink({ pairing: { url, code, expiresAt }, onRenew }: PairingLinkProps) {
  const { t } = useTranslation();
  const remainingMs = Date.parse(expiresAt) - useNow();
  if (remainingMs <= 0) {
    return (
      <div className={classes["status"]} role="status">
        <Text fw={600}>{t("pairing.expired")}</Text>
        <Text size="sm" c="dimmed">
          {t("pairing.expiredText")}
        </Text>
        <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={onRenew}>
          {t("pairing.renew")}
        </Button>
      </div>
    );
  }
  return (
    <>
      {getReachability(url) !== "local" && (
        <div className={classes["square"]}>
          <QrCode text={url} label={t("pairing.qr")} />
        </div>
      )}
      <PairingCode code={code} />
      <div className={classes["remaining"]}>
        <Text size="sm" c="dimmed" role="timer" aria-label={t("pairing.remainingTime")}>
          {t("pairing.validFor", { time: formatCountdown(remainingMs) })}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={onRenew}>
          {t("pairing.renew")}
        </Button>
      </div>
    </>
  );
}

/** The status after a browser has used the pairing and before it is a device. */
export function PairedStatus() {
  const { t } = useTranslation();
  return (
    <div className={classes["status"]} role="status">
      <span className={classes["done"]}>
        <IconCheck size={28} stroke={2} aria-hidden />
      </span>
      <Text fw={600}>{t("pairing.paired")}</Text>
      <Text size="sm" c="dimmed">
        {t("pairing.pairedText")}
      </Text>
    </div>
  );
}

/** A warning that a phone cannot use the server's URL, with a remedy; renders nothing if the phone can use it. */
export function ReachabilityWarning({ url }: { readonly url: string }) {
  const { t } = useTranslation();
  const reachability = getReachability(url);
  if (reachability === "reachable") return null;
  return (
    <Alert
      color="orange"
      className={classes["warning"] ?? ""}
      icon={<IconAlertTriangle size={18} aria-hidden />}
    >
      <Text size="sm" fw={600}>
        {t(`pairing.${reachability}Title`)}
      </Text>
      {t(`pairing.${reachability}Text`, { origin: new URL(url).origin })}
    </Alert>
  );
}

function PairingCode({ code }: { readonly code: string }) {
  const { t } = useTranslation();
  const [isCopied, setIsCopied] = useState(false);
  const text = formatPairingCode(code);
  const label = t(isCopied ? "page.copied" : "page.copy");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      // Ignores a failure: the code is visible.
      () => {},
    );
  };
  return (
    <div className={classes["codeRow"]}>
      <output className={classes["code"]} aria-label={t("pairing.code")}>
        {text}
      </output>
      <Tooltip label={label}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t("page.copyName", { name: t("pairing.code") })}
          onClick={copy}
        >
          {isCopied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
        </ActionIcon>
      </Tooltip>
      <span className={classes["copied"]} role="status">
        {isCopied && t("page.copied")}
      </span>
    </div>
  );
}
