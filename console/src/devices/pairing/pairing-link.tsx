import { ActionIcon, Alert, Button, Text, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconCopy, IconRefresh } from "@tabler/icons-react";
import type { NewPairing } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { QrCode } from "../../page/qr-code.tsx";
import { formatCountdown, formatCode } from "./format-code.ts";
import classes from "./pairing.module.css";
import { toReachability } from "./reachability.ts";
import { useNow } from "./use-now.ts";

export interface PairingLinkProps {
  readonly pairing: NewPairing;
  readonly onRenew: () => void;
}

/** The pairing link as a QR code, the code to type instead, and the remaining time of both. */
export function PairingLink({ pairing: { url, code, expiresAt }, onRenew }: PairingLinkProps) {
  const { t } = useTranslation();
  const remainingMs = Date.parse(expiresAt) - useNow();
  if (remainingMs <= 0) {
    return (
      <div className={classes["status"]} role="status">
        <Text fw={600}>{t("pairing.over")}</Text>
        <Text size="sm" c="dimmed">
          {t("pairing.overText")}
        </Text>
        <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={onRenew}>
          {t("pairing.renew")}
        </Button>
      </div>
    );
  }
  return (
    <>
      {toReachability(url) !== "local" && (
        <div className={classes["square"]}>
          <QrCode text={url} label={t("pairing.qr")} />
        </div>
      )}
      <Code code={code} />
      <div className={classes["remaining"]}>
        <Text size="sm" c="dimmed" role="timer" aria-label={t("pairing.left")}>
          {t("pairing.goodFor", { time: formatCountdown(remainingMs) })}
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
      <Text fw={600}>{t("pairing.cameIn")}</Text>
      <Text size="sm" c="dimmed">
        {t("pairing.cameInText")}
      </Text>
    </div>
  );
}

/** Warns that a phone cannot use the server's URL and explains how to fix it; renders nothing if it can. */
export function ReachabilityWarning({ url }: { readonly url: string }) {
  const { t } = useTranslation();
  const reachability = toReachability(url);
  if (reachability === "yes") return null;
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

function Code({ code }: { readonly code: string }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const text = formatCode(code);
  const label = t(isCopied ? "page.copied" : "page.copy");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      // A failure is ignored: the code is visible.
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
