import { Stack, Text } from "@mantine/core";
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Device, ListedAccount } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { isPhone, serviceOf } from "../devices/device-facts.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Dialog } from "../page/dialog.tsx";
import { List, ListItem } from "../page/list.tsx";
import { momentOf } from "../page/moment.tsx";
import { Loaded } from "../page/states.tsx";
import { accountDevicesQuery } from "./administration-queries.ts";

export interface AccountDevicesProps {
  readonly account: ListedAccount;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The devices of an account, each with a button to remove it: a lost phone goes on showing notifications. */
export function AccountDevices({ account, isOpen, onClose }: AccountDevicesProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} title={t("admin.devicesOf", { name: account.name })} onClose={onClose}>
      <Devices account={account} />
    </Dialog>
  );
}

function Devices({ account }: Pick<AccountDevicesProps, "account">) {
  const { t } = useTranslation();
  const query = useQuery(accountDevicesQuery(account.id));
  return (
    <Loaded query={query}>
      {(devices) =>
        devices.length === 0 ? (
          <Text size="sm">{t("admin.noDevices")}</Text>
        ) : (
          <Stack>
            <Text size="sm">{t("admin.devicesText")}</Text>
            <List label={t("admin.devicesOf", { name: account.name })}>
              {devices.map((device) => (
                <DeviceLine key={device.id} device={device} account={account} />
              ))}
            </List>
          </Stack>
        )
      }
    </Loaded>
  );
}

interface DeviceLineProps {
  readonly device: Device;
  readonly account: ListedAccount;
}

function DeviceLine({ device, account }: DeviceLineProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // A second press on the same button confirms.
  const [isAsked, setAsked] = useState(false);
  const { id, name, lastDelivery } = device;
  const remove = async () => {
    if (!isAsked) {
      setAsked(true);
      return;
    }
    await client.admin.accounts.removeDevice(account.id, id);
    await queryClient.invalidateQueries({ queryKey: ["admin", "accounts"] });
    await queryClient.invalidateQueries({ queryKey: ["admin", "account", account.id] });
  };
  const last =
    lastDelivery === null
      ? t("admin.neverReached")
      : t("admin.lastReached", { when: momentOf(lastDelivery.at) });
  return (
    <ListItem
      icon={isPhone(device) ? IconDeviceMobile : IconDeviceDesktop}
      title={name}
      id={id}
      actions={
        <ActionButton
          size="sm"
          run={remove}
          variant={isAsked ? "filled" : "default"}
          {...(isAsked ? { color: "red" } : {})}
          aria-label={t(isAsked ? "admin.removeDeviceSure" : "admin.removeDeviceOf", { name })}
        >
          {t(isAsked ? "admin.removeSure" : "admin.removeDevice")}
        </ActionButton>
      }
    >
      <Text size="sm" c="dimmed">
        {[serviceOf(device), last].join(" · ")}
      </Text>
    </ListItem>
  );
}
