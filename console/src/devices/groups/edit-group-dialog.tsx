import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Device, DeviceGroup } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { getErrorField, getErrorMessage } from "../../errors.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { showError } from "../../page/toasts.ts";
import { saveGroup } from "./group-queries.ts";

interface EditGroupDialogProps {
  /** Null for a new group. */
  readonly group: DeviceGroup | null;
  readonly devices: readonly Device[];
  readonly onClose: () => void;
}

const NAME_LENGTH_MAX = 80;

/** A dialog that sets the name and the devices of a new or existing group. */
export function EditGroupDialog({ group, devices, onClose }: EditGroupDialogProps) {
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
  const handleError = (error: unknown) => {
    if (getErrorField(error) === "name") setProblem(getErrorMessage(error));
    else showError(error);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={group === null ? t("group.newGroup") : t("group.editTitle", { name: group.name })}
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
        <MemberSelection devices={devices} selectedIds={deviceIds} onChange={setDeviceIds} />
        <ActionButton run={save} onError={handleError}>
          {t(group === null ? "group.create" : "group.save")}
        </ActionButton>
      </Stack>
    </Modal>
  );
}

interface MemberSelectionProps {
  readonly devices: readonly Device[];
  readonly selectedIds: readonly string[];
  readonly onChange: (deviceIds: readonly string[]) => void;
}

function MemberSelection({ devices, selectedIds, onChange }: MemberSelectionProps) {
  const { t } = useTranslation();
  if (devices.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("group.noDevices")}
      </Text>
    );
  }
  const count = selectedIds.length;
  return (
    <Checkbox.Group
      label={t("group.members")}
      value={[...selectedIds]}
      onChange={(ids) => onChange(ids)}
    >
      <Group gap="xs" py="xs">
        {createSelections(devices).map(({ name, ids }) => (
          <Button key={name} size="compact-sm" variant="default" onClick={() => onChange(ids)}>
            {t(`group.${name}`)}
          </Button>
        ))}
        <Text size="sm" c="dimmed" role="status">
          {t("group.selected", { count, all: devices.length })}
        </Text>
      </Group>
      <Stack gap="xs">
        {devices.map(({ id, name, paused }) => (
          <Checkbox
            key={id}
            value={id}
            label={name}
            {...(paused && { description: t("deviceList.paused") })}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/**
 * Returns the selections that the buttons make. Omits a kind of device if no device, or every device, is of that kind.
 */
function createSelections(devices: readonly Device[]) {
  const phones = getIds(devices.filter(({ platform }) => platform !== "web"));
  const browsers = getIds(devices.filter(({ platform }) => platform === "web"));
  const kinds = [
    { name: "phones", ids: phones },
    { name: "browsers", ids: browsers },
  ] as const;
  return [
    { name: "all", ids: getIds(devices) },
    ...kinds.filter(({ ids }) => ids.length > 0 && ids.length < devices.length),
    { name: "none", ids: [] },
  ] as const;
}

function getIds(devices: readonly Device[]): readonly string[] {
  return devices.map(({ id }) => id);
}
