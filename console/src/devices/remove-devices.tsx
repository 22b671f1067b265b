import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { Device } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../page/action-button.tsx";
import { Dialog } from "../page/dialog.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { serviceOf } from "./device-facts.ts";
import { applyDevice } from "./device-queries.ts";
import { removeDevice } from "./remove-device.ts";

export interface RemoveDevicesProps {
  readonly devices: readonly Device[];
  /** Id of this browser's device; null if it is not a device. */
  readonly thisDeviceId: string | null;
}

/** A button and its dialog to remove several devices together, in case a stranger added many. */
export function RemoveDevices({ devices, thisDeviceId }: RemoveDevicesProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (devices.length < 2) return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t("device.removeSeveral")}
      </Button>
      <Dialog isOpen={isOpen} title={t("device.removeSeveral")} onClose={close}>
        <DeviceChoice devices={devices} thisDeviceId={thisDeviceId} onDone={close} />
      </Dialog>
    </>
  );
}

function DeviceChoice({
  devices,
  thisDeviceId,
  onDone,
}: RemoveDevicesProps & { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [selectedIds, setSelectedIds] = useState<readonly string[]>([]);
  const newestFirst = devices.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  // Omits devices that were removed elsewhere in the meantime.
  const ids = selectedIds.filter((id) => devices.some((device) => device.id === id));
  const others = newestFirst.map(({ id }) => id).filter((id) => id !== thisDeviceId);
  const remove = async () => {
    for (const id of ids) {
      await removeDevice(id);
      applyDevice(queryClient, id, null);
    }
    onDone();
  };
  return (
    <Stack>
      <Text size="sm">{t("device.removeSeveralText")}</Text>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => setSelectedIds(others)}>
          {t("device.allButThis")}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => setSelectedIds([])}>
          {t("device.none")}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {t("device.chosen", { count: ids.length, all: devices.length })}
        </Text>
      </Group>
      <Checkbox.Group
        aria-label={t("device.all")}
        value={[...ids]}
        onChange={(next) => setSelectedIds(next)}
      >
        <Stack gap="xs">
          {newestFirst.map((device) => (
            <Checkbox
              key={device.id}
              value={device.id}
              label={device.name}
              description={[
                t("device.addedAt", { when: formatTimestamp(device.createdAt) }),
                t("device.through", { service: serviceOf(device) }),
                ...(device.id === thisDeviceId ? [t("device.thisBadge")] : []),
              ].join(" · ")}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <ActionButton color="red" disabled={ids.length === 0} run={remove}>
        {t("device.removeChosen")}
      </ActionButton>
    </Stack>
  );
}
