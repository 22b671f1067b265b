import { Group, Title } from "@mantine/core";
import { IconDevices } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { DeviceGroup } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { Card } from "../page/card.tsx";
import { List } from "../page/list.tsx";
import { Page } from "../page/page.tsx";
import { EmptyState, QueryContent } from "../page/query-states.tsx";
import { DeviceItem } from "./device-item.tsx";
import { AddPhoneButton } from "./pairing/add-phone-button.tsx";
import { InstallButton } from "./pairing/phone-setup.tsx";
import { devicesQuery, createThisDeviceQuery } from "./device-queries.ts";
import { groupsQuery } from "./groups/group-queries.ts";
import { UnregisteredDevices } from "./unregistered-devices.tsx";
import { RemoveDevicesButton } from "./remove-devices-button.tsx";
import { ThisDevicePanel } from "./this-device-panel.tsx";

/** The account's devices: this browser, all others, and those that their push services unregistered. */
export function DevicesPage() {
  const { t } = useTranslation();
  const { id } = useAccount();
  const devices = useQuery(devicesQuery);
  const groups = useQuery(groupsQuery);
  const { data: thisDevice } = useQuery(createThisDeviceQuery(id));
  return (
    <Page
      title={t("deviceList.title")}
      text={t("deviceList.text")}
      actions={
        <>
          <InstallButton />
          <AddPhoneButton
            variant={thisDevice?.notificationState === "off" ? "default" : "filled"}
          />
        </>
      }
    >
      <ThisDevicePanel />
      <Group justify="space-between">
        <Title order={2} size="h5">
          {t("deviceList.all")}
        </Title>
        <RemoveDevicesButton
          devices={devices.data ?? []}
          thisDeviceId={thisDevice?.deviceId ?? null}
        />
      </Group>
      <QueryContent query={devices}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState
                icon={IconDevices}
                title={t("deviceList.empty")}
                text={t("deviceList.emptyText")}
              >
                <AddPhoneButton variant="default" />
              </EmptyState>
            </Card>
          ) : (
            <List label={t("deviceList.all")}>
              {items.map((device) => (
                <DeviceItem
                  key={device.id}
                  device={device}
                  isThisBrowser={device.id === thisDevice?.deviceId}
                  groupNames={findGroupNames(groups.data ?? [], device.id)}
                />
              ))}
            </List>
          )
        }
      </QueryContent>
      <UnregisteredDevices />
    </Page>
  );
}

function findGroupNames(groups: readonly DeviceGroup[], deviceId: string): readonly string[] {
  return groups.filter(({ deviceIds }) => deviceIds.includes(deviceId)).map(({ name }) => name);
}
