import { Group, Title } from "@mantine/core";
import { IconDevices } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { DeviceGroup } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { Card } from "../page/card.tsx";
import { List } from "../page/list.tsx";
import { Page } from "../page/page.tsx";
import { EmptyState, QueryContent } from "../page/states.tsx";
import { DeviceItem } from "./device-item.tsx";
import { AddPhone } from "./pairing/add-phone.tsx";
import { InstallButton } from "./pairing/this-phone.tsx";
import { devicesQuery, thisDeviceQuery } from "./device-queries.ts";
import { groupsQuery } from "./groups/group-queries.ts";
import { LeftDevices } from "./left-devices.tsx";
import { RemoveDevices } from "./remove-devices.tsx";
import { ThisDevicePanel } from "./this-device-panel.tsx";

/** The account's devices: this browser and all others. */
export function DevicesPage() {
  const { t } = useTranslation();
  const { id } = useAccount();
  const devices = useQuery(devicesQuery);
  const groups = useQuery(groupsQuery);
  const { data: thisDevice } = useQuery(thisDeviceQuery(id));
  return (
    <Page
      title={t("device.title")}
      text={t("device.text")}
      actions={
        <>
          <InstallButton />
          <AddPhone variant={thisDevice?.capability === "off" ? "default" : "filled"} />
        </>
      }
    >
      <ThisDevicePanel />
      <Group justify="space-between">
        <Title order={2} size="h5">
          {t("device.all")}
        </Title>
        <RemoveDevices devices={devices.data ?? []} thisDeviceId={thisDevice?.deviceId ?? null} />
      </Group>
      <QueryContent query={devices}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState icon={IconDevices} title={t("device.empty")} text={t("device.emptyText")}>
                <AddPhone variant="default" />
              </EmptyState>
            </Card>
          ) : (
            <List label={t("device.all")}>
              {items.map((device) => (
                <DeviceItem
                  key={device.id}
                  device={device}
                  isThis={device.id === thisDevice?.deviceId}
                  groups={groupNamesOf(groups.data ?? [], device.id)}
                />
              ))}
            </List>
          )
        }
      </QueryContent>
      <LeftDevices />
    </Page>
  );
}

function groupNamesOf(groups: readonly DeviceGroup[], deviceId: string): readonly string[] {
  return groups.filter(({ deviceIds }) => deviceIds.includes(deviceId)).map(({ name }) => name);
}
