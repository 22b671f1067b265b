import { Stack, Text } from "@mantine/core";
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Device, ListedAccount } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { formatConnection, formatService } from "../apps/format-app.ts";
import { isPhone } from "../devices/device-facts.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Dialog } from "../page/dialog.tsx";
import { List, ListItem } from "../page/list.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { createAccountDevicesQuery } from "./administration-queries.ts";

interface AccountDevicesDialogProps {
  readonly account: ListedAccount;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * A dialog with the devices of an account, each with a button to remove it. A lost phone shows notifications until it
 * is removed.
 */
export function AccountDevicesDialog({ account, isOpen, onClose }: AccountDevicesDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} title={t("admin.devicesOf", { name: account.name })} onClose={onClose}>
      <AccountDeviceList account={account} />
    </Dialog>
  );
}

function AccountDeviceList({ account }: Pick<AccountDevicesDialogProps, "account">) {
  const { t } = useTranslation();
  const query = useQuery(createAccountDevicesQuery(account.id));
  return (
    <QueryContent query={query}>
      {(devices) =>
        devices.length === 0 ? (
          <Text size="sm">{t("admin.noDevices")}</Text>
        ) : (
          <Stack>
            <Text size="sm">{t("admin.devicesText")}</Text>
            <List label={t("admin.devicesOf", { name: account.name })}>
              {devices.map((device) => (
                <DeviceItem key={device.id} device={device} account={account} />
              ))}
            </List>
          </Stack>
        )
      }
    </QueryContent>
  );
}

interface DeviceItemProps {
  readonly device: Device;
  readonly account: ListedAccount;
}

function DeviceItem({ device, account }: DeviceItemProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The first press asks for confirmation; the second removes the device.
  const [isConfirming, setIsConfirming] = useState(false);
  const { id, name, lastDelivery } = device;
  const remove = async () => {
    if (!isConfirming) {
      setIsConfirming(true);
      return;
    }
    await client.admin.accounts.removeDevice(account.id, id);
    await queryClient.invalidateQueries({ queryKey: ["admin", "accounts"] });
    await queryClient.invalidateQueries({ queryKey: ["admin", "account", account.id] });
  };
  const lastReached =
    lastDelivery === null
      ? t("admin.neverReached")
      : t("admin.lastReached", { when: formatTimestamp(lastDelivery.at) });
  return (
    <ListItem
      icon={isPhone(device) ? IconDeviceMobile : IconDeviceDesktop}
      title={name}
      id={id}
      actions={
        <ActionButton
          size="sm"
          run={remove}
          variant={isConfirming ? "filled" : "default"}
          {...(isConfirming ? { color: "red" } : {})}
          aria-label={t(isConfirming ? "admin.confirmRemoveDevice" : "admin.removeDeviceOf", {
            name,
          })}
        >
          {t(isConfirming ? "admin.confirmRemove" : "admin.removeDevice")}
        </ActionButton>
      }
    >
      <Text size="sm" c="dimmed">
        {[formatService(device), formatConnection(device), lastReached]
          .filter((part) => part !== null)
          .join(" · ")}
      </Text>
    </ListItem>
  );
}
