import { ActionIcon, Alert, Button, Text, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconCopy, IconRefresh } from "@tabler/icons-react";
import type { NewPairing } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { QrCode } from "../../page/qr-code.tsx";
import { clockOf, readableCode } from "./code.ts";
import classes from "./pairing.module.css";
import { reachOf } from "./reach.ts";
import { useNow } from "./use-now.ts";

export interface InviteProps {
  readonly pairing: NewPairing;
  readonly onRenew: () => void;
}

/** The link as a QR code, the code to type instead, and the time for which both are valid. */
export function Invite({ pairing: { url, code, expiresAt }, onRenew }: InviteProps) {
  const { t } = useTranslation();
  const leftMs = Date.parse(expiresAt) - useNow();
  if (leftMs <= 0) {
    return (
      <div className={classes["over"]} role="status">
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
      {reachOf(url) !== "local" && (
        <div className={classes["square"]}>
          <QrCode text={url} label={t("pairing.qr")} />
        </div>
      )}
      <Code code={code} />
      <div className={classes["left"]}>
        <Text size="sm" c="dimmed" role="timer" aria-label={t("pairing.left")}>
          {t("pairing.goodFor", { time: clockOf(leftMs) })}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={onRenew}>
          {t("pairing.renew")}
        </Button>
      </div>
    </>
  );
}

/** Status between the use of a pairing and the arrival of its device. */
export function CameIn() {
  const { t } = useTranslation();
  return (
    <div className={classes["over"]} role="status">
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

/** Explains what keeps a phone from this server, who can fix it, and how. */
export function Unreachable({ url }: { readonly url: string }) {
  const { t } = useTranslation();
  const reach = reachOf(url);
  if (reach === "yes") return null;
  return (
    <Alert
      color="orange"
      className={classes["warning"] ?? ""}
      icon={<IconAlertTriangle size={18} aria-hidden />}
    >
      <Text size="sm" fw={600}>
        {t(`pairing.${reach}Title`)}
      </Text>
      {t(`pairing.${reach}Text`, { origin: new URL(url).origin })}
    </Alert>
  );
}

function Code({ code }: { readonly code: string }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const text = readableCode(code);
  const label = t(isCopied ? "page.copied" : "page.copy");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      // The code is still there to be read.
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
      <span className={classes["said"]} role="status">
        {isCopied && t("page.copied")}
      </span>
    </div>
  );
}
