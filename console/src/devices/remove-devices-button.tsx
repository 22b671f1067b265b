import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { Device } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../page/action-button.tsx";
import { Dialog } from "../page/dialog.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { formatService } from "../apps/format-app.ts";
import { removeCachedDevice } from "./device-queries.ts";
import { removeDevice } from "./remove-device.ts";

interface RemoveDevicesButtonProps {
  readonly devices: readonly Device[];
  /** Id of this browser's device; null if this browser is not one of the account's devices. */
  readonly thisDeviceId: string | null;
}

/**
 * A button and its dialog to remove several devices at once, for example after a stranger added many; renders nothing
 * if there are fewer than two.
 */
export function RemoveDevicesButton({ devices, thisDeviceId }: RemoveDevicesButtonProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  if (devices.length < 2) return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        {t("deviceList.removeSeveral")}
      </Button>
      <Dialog isOpen={isOpen} title={t("deviceList.removeSeveral")} onClose={close}>
        <RemoveDevicesForm devices={devices} thisDeviceId={thisDeviceId} onDone={close} />
      </Dialog>
    </>
  );
}

function RemoveDevicesForm({
  devices,
  thisDeviceId,
  onDone,
}: RemoveDevicesButtonProps & { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [selectedIds, setSelectedIds] = useState<readonly string[]>([]);
  const devicesNewestFirst = devices.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  // Omits devices that were removed elsewhere in the meantime.
  const removableIds = selectedIds.filter((id) => devices.some((device) => device.id === id));
  const otherIds = devicesNewestFirst.map(({ id }) => id).filter((id) => id !== thisDeviceId);
  const remove = async () => {
    for (const id of removableIds) {
      await removeDevice(id);
      removeCachedDevice(queryClient, id);
    }
    onDone();
  };
  return (
    <Stack>
      <Text size="sm">{t("deviceList.removeSeveralText")}</Text>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => setSelectedIds(otherIds)}>
          {t("deviceList.allButThis")}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => setSelectedIds([])}>
          {t("deviceList.selectNone")}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {t("deviceList.selected", { count: removableIds.length, all: devices.length })}
        </Text>
      </Group>
      <Checkbox.Group
        aria-label={t("deviceList.all")}
        value={[...removableIds]}
        onChange={(ids) => setSelectedIds(ids)}
      >
        <Stack gap="xs">
          {devicesNewestFirst.map((device) => (
            <Checkbox
              key={device.id}
              value={device.id}
              label={device.name}
              description={[
                t("deviceList.addedAt", { when: formatTimestamp(device.createdAt) }),
                t("deviceList.via", { service: formatService(device) }),
                ...(device.id === thisDeviceId ? [t("deviceList.thisBadge")] : []),
              ].join(" · ")}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <ActionButton color="red" disabled={removableIds.length === 0} run={remove}>
        {t("deviceList.removeSelected")}
      </ActionButton>
    </Stack>
  );
}
