import { Text } from "@mantine/core";
import type { Device } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { momentOf } from "../page/moment.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { standingOf } from "./device-facts.ts";

/** How a device stands, by the last news of it, and what to do where that is no good news. */
export function DeviceState({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const { id, lastDelivery } = device;
  const standing = standingOf(device);
  if (standing === "paused") return <Line>{t("device.paused")}</Line>;
  if (lastDelivery === null) return <Line>{t("device.nothingSent")}</Line>;
  const { state, at } = lastDelivery;
  const said = t(`delivery.${state}`, { when: momentOf(at) });
  if (standing === "active") return <Line>{said}</Line>;
  return (
    <>
      <Line>{said}</Line>
      <Text size="sm">
        {t(standing === "late" ? "device.lateNext" : "device.troubleNext")}{" "}
        <TextLink to={PATHS.log} search={{ device: id }} underline="always">
          {t("device.why")}
        </TextLink>
      </Text>
    </>
  );
}

function Line({ children }: { readonly children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
