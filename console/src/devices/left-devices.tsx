import { Text, Title } from "@mantine/core";
import { IconDeviceMobileOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { LeftDevice } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { findWhyKey } from "../notifications/log/why.ts";
import { List, ListItem } from "../page/list.tsx";
import { Timestamp } from "../page/timestamp.tsx";
import { leftDevicesQuery } from "./device-queries.ts";

/** The devices that their push services unregistered, with reason and time; renders nothing if there are none. */
export function LeftDevices() {
  const { t } = useTranslation();
  const { data: devices = [] } = useQuery(leftDevicesQuery);
  if (devices.length === 0) return null;
  return (
    <>
      <Title order={2} size="h5">
        {t("device.left")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("device.leftText")}
      </Text>
      <List label={t("device.left")}>
        {devices.map((device) => (
          <LeftDeviceItem key={device.id} device={device} />
        ))}
      </List>
    </>
  );
}

function LeftDeviceItem({ device }: { readonly device: LeftDevice }) {
  const { t } = useTranslation();
  const { id, name, provider, code, leftAt } = device;
  const why = findWhyKey(code, provider);
  return (
    <ListItem icon={IconDeviceMobileOff} title={name} id={id}>
      <Text size="sm" c="dimmed">
        {t("device.leftAt")} <Timestamp at={leftAt} />
      </Text>
      <Text size="sm">{why === null ? code : t(`why.${why}.title`)}</Text>
    </ListItem>
  );
}
