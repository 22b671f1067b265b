import { Text } from "@mantine/core";
import type { Device } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { formatTimestamp } from "../page/timestamp.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { toDeviceStatus } from "./device-facts.ts";

/** The state of a device: paused, unused, or the state of its last delivery. */
export function DeviceState({ device: { paused, lastDelivery } }: { readonly device: Device }) {
  const { t } = useTranslation();
  const formatState = () => {
    if (paused) return t("deviceList.paused");
    if (lastDelivery === null) return t("deviceList.nothingSent");
    return t(`delivery.${lastDelivery.state}`, { when: formatTimestamp(lastDelivery.at) });
  };
  return (
    <Text size="sm" c="dimmed">
      {formatState()}
    </Text>
  );
}

/** Advice after a late or failed delivery, with a link to the reason. */
export function DeviceHint({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const status = toDeviceStatus(device);
  if (status !== "late" && status !== "trouble") return null;
  return (
    <Text size="sm">
      {t(`deviceList.${status}Remedy`)}{" "}
      <TextLink to={PATHS.log} search={{ device: device.id }} underline="always">
        {t("deviceList.why")}
      </TextLink>
    </Text>
  );
}
