import { Text, Title } from "@mantine/core";
import { IconDeviceMobileOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { LeftDevice } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { findExplanationKey } from "../notifications/log/explain-delivery.ts";
import { List, ListItem } from "../page/list.tsx";
import { Timestamp } from "../page/timestamp.tsx";
import { unregisteredDevicesQuery } from "./device-queries.ts";

/** The devices that their push services unregistered, with reason and time; renders nothing if there are none. */
export function UnregisteredDevices() {
  const { t } = useTranslation();
  const { data: devices = [] } = useQuery(unregisteredDevicesQuery);
  if (devices.length === 0) return null;
  return (
    <>
      <Title order={2} size="h5">
        {t("deviceList.unregistered")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("deviceList.unregisteredText")}
      </Text>
      <List label={t("deviceList.unregistered")}>
        {devices.map((device) => (
          <UnregisteredDeviceItem key={device.id} device={device} />
        ))}
      </List>
    </>
  );
}

function UnregisteredDeviceItem({ device }: { readonly device: LeftDevice }) {
  const { t } = useTranslation();
  const { id, name, provider, code, leftAt } = device;
  const explanationKey = findExplanationKey(code, provider);
  return (
    <ListItem icon={IconDeviceMobileOff} title={name} id={id}>
      <Text size="sm" c="dimmed">
        {t("deviceList.unregisteredAt")} <Timestamp at={leftAt} />
      </Text>
      <Text size="sm">
        {explanationKey === null ? code : t(`explanation.${explanationKey}.title`)}
      </Text>
    </ListItem>
  );
}
