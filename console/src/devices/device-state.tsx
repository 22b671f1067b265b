import { Text } from "@mantine/core";
import type { Device } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { momentOf } from "../page/moment.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { standingOf } from "./device-facts.ts";

/** The state of a device after its last delivery. */
export function DeviceState({ device: { paused, lastDelivery } }: { readonly device: Device }) {
  const { t } = useTranslation();
  const state = () => {
    if (paused) return t("device.paused");
    if (lastDelivery === null) return t("device.nothingSent");
    return t(`delivery.${lastDelivery.state}`, { when: momentOf(lastDelivery.at) });
  };
  return (
    <Text size="sm" c="dimmed">
      {state()}
    </Text>
  );
}

/** Advice after a late or failed delivery, with a link to the reason. */
export function DeviceHint({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const standing = standingOf(device);
  if (standing !== "late" && standing !== "trouble") return null;
  return (
    <Text size="sm">
      {t(`device.${standing}Next`)}{" "}
      <TextLink to={PATHS.log} search={{ device: device.id }} underline="always">
        {t("device.why")}
      </TextLink>
    </Text>
  );
}
