import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { Device } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../page/action-button.tsx";
import { Dialog } from "../page/dialog.tsx";
import { momentOf } from "../page/moment.tsx";
import { serviceOf } from "./device-facts.ts";
import { takeDevice } from "./device-queries.ts";
import { removeDevice } from "./remove-device.ts";

export interface RemoveDevicesProps {
  readonly devices: readonly Device[];
  /** Id of the device that shows this page; null if it is none. */
  readonly thisDeviceId: string | null;
}

/** Button that opens the dialog for removing several devices at once, in case a stranger added many. */
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
        <Choice devices={devices} thisDeviceId={thisDeviceId} onDone={close} />
      </Dialog>
    </>
  );
}

function Choice({
  devices,
  thisDeviceId,
  onDone,
}: RemoveDevicesProps & { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const newestFirst = devices.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  // Devices that were removed elsewhere meanwhile need no removal.
  const ids = chosen.filter((id) => devices.some((device) => device.id === id));
  const others = newestFirst.map(({ id }) => id).filter((id) => id !== thisDeviceId);
  const remove = async () => {
    for (const id of ids) {
      await removeDevice(id);
      takeDevice(queryClient, id, null);
    }
    onDone();
  };
  return (
    <Stack>
      <Text size="sm">{t("device.removeSeveralText")}</Text>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => setChosen(others)}>
          {t("device.allButThis")}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => setChosen([])}>
          {t("device.none")}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {t("device.chosen", { count: ids.length, all: devices.length })}
        </Text>
      </Group>
      <Checkbox.Group
        aria-label={t("device.all")}
        value={[...ids]}
        onChange={(next) => setChosen(next)}
      >
        <Stack gap="xs">
          {newestFirst.map((device) => (
            <Checkbox
              key={device.id}
              value={device.id}
              label={device.name}
              description={[
                t("device.addedAt", { when: momentOf(device.createdAt) }),
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
