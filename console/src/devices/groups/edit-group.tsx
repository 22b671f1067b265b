import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Device, DeviceGroup } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldOf, messageOf } from "../../errors.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { fail } from "../../page/toasts.ts";
import { saveGroup } from "./group-queries.ts";

export interface EditGroupProps {
  /** Null for a new group. */
  readonly group: DeviceGroup | null;
  readonly devices: readonly Device[];
  readonly onClose: () => void;
}

const NAME_LENGTH_MAX = 80;

/** Sets the name and the devices of a group. */
export function EditGroup({ group, devices, onClose }: EditGroupProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [name, setName] = useState(group?.name ?? "");
  const [deviceIds, setDeviceIds] = useState<readonly string[]>(group?.deviceIds ?? []);
  const [problem, setProblem] = useState<string | null>(null);
  const save = async () => {
    setProblem(null);
    await saveGroup(queryClient, group?.id ?? null, { name, deviceIds });
    onClose();
  };
  const tell = (error: unknown) => {
    if (fieldOf(error) === "name") setProblem(messageOf(error));
    else fail(error);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={group === null ? t("group.make") : t("group.editTitle", { name: group.name })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack>
        <TextInput
          data-autofocus
          label={t("group.name")}
          placeholder={t("group.namePlaceholder")}
          maxLength={NAME_LENGTH_MAX}
          value={name}
          error={problem}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <Members devices={devices} chosen={deviceIds} onChange={setDeviceIds} />
        <ActionButton run={save} onError={tell}>
          {t(group === null ? "group.create" : "group.save")}
        </ActionButton>
      </Stack>
    </Modal>
  );
}

interface MembersProps {
  readonly devices: readonly Device[];
  readonly chosen: readonly string[];
  readonly onChange: (deviceIds: readonly string[]) => void;
}

function Members({ devices, chosen, onChange }: MembersProps) {
  const { t } = useTranslation();
  if (devices.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("group.noDevices")}
      </Text>
    );
  }
  const count = chosen.length;
  return (
    <Checkbox.Group
      label={t("group.members")}
      value={[...chosen]}
      onChange={(ids) => onChange(ids)}
    >
      <Group gap="xs" py="xs">
        {picksOf(devices).map(({ pick, ids }) => (
          <Button key={pick} size="compact-sm" variant="default" onClick={() => onChange(ids)}>
            {t(`group.${pick}`)}
          </Button>
        ))}
        <Text size="sm" c="dimmed" role="status">
          {t("group.chosen", { count, all: devices.length })}
        </Text>
      </Group>
      <Stack gap="xs">
        {devices.map(({ id, name, paused }) => (
          <Checkbox
            key={id}
            value={id}
            label={name}
            {...(paused && { description: t("device.paused") })}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/**
 * Returns the choices that select several devices with one press; a kind of which there are none, or that covers all
 * devices, is not offered.
 */
function picksOf(devices: readonly Device[]) {
  const phones = idsOf(devices.filter(({ platform }) => platform !== "web"));
  const browsers = idsOf(devices.filter(({ platform }) => platform === "web"));
  const kinds = [
    { pick: "phones", ids: phones },
    { pick: "browsers", ids: browsers },
  ] as const;
  return [
    { pick: "all", ids: idsOf(devices) },
    ...kinds.filter(({ ids }) => ids.length > 0 && ids.length < devices.length),
    { pick: "none", ids: [] },
  ] as const;
}

function idsOf(devices: readonly Device[]): readonly string[] {
  return devices.map(({ id }) => id);
}
