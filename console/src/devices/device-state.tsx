import { Text } from "@mantine/core";
import type { Device } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { momentOf } from "../page/moment.tsx";

/** How a device stands, by the last news of it. */
export function DeviceState({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const { paused, lastDelivery } = device;
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
