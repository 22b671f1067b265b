import { Text } from "@mantine/core";
import type { Device } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { formatTimestamp } from "../page/timestamp.tsx";
import { TextLink } from "../page/text-link.tsx";
import { asksRarely, hasConnected, waitsForApp } from "../apps/app-facts.ts";
import { useNtfyUpstream } from "../keys/dialects-query.ts";
import { PATHS } from "../paths.ts";
import { toDeviceStatus } from "./device-facts.ts";

/** The state of a device: paused, unused, or the state of its last delivery. */
export function DeviceState({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const { paused, lastDelivery } = device;
  const formatState = () => {
    if (paused) return t("deviceList.paused");
    if (lastDelivery === null) return t("deviceList.nothingSent");
    const when = formatTimestamp(lastDelivery.at);
    if (waitsForApp(device)) return t("app.waits", { when });
    return t(`delivery.${lastDelivery.state}`, { when });
  };
  return (
    <Text size="sm" c="dimmed">
      {formatState()}
    </Text>
  );
}

/**
 * Advice after a late or failed delivery, with a link to the reason, or for an app that is rarely or never connected.
 */
export function DeviceHint({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const status = toDeviceStatus(device);
  const isWoken = useNtfyUpstream() !== null;
  const isRare = asksRarely(device) && !isWoken;
  if (device.app !== undefined && !hasConnected(device)) {
    return <Text size="sm">{t("app.newPassword")}</Text>;
  }
  if (status !== "late" && status !== "trouble") {
    return isRare ? <Text size="sm">{t("app.rare")}</Text> : null;
  }
  const remedy =
    device.app === undefined ? t(`deviceList.${status}Remedy`) : t(`app.${status}Remedy`);
  return (
    <Text size="sm">
      {remedy} {isRare && `${t("app.rare")} `}
      <TextLink to={PATHS.log} search={{ device: device.id }} underline="always">
        {t("deviceList.why")}
      </TextLink>
    </Text>
  );
}
