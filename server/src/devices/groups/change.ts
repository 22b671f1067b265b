import type { Context } from "#context.ts";
import { parseName } from "../device.ts";
import type { DeviceGroup } from "./group.ts";
import { requireOwnDevices } from "./require-own-devices.ts";
import { findGroup, updateGroup, type GroupChange, type OwnedGroup } from "./store.ts";

/**
 * Renames a group of the account, replaces its devices, or both, and returns the group; null if there is no such group.
 * Throws `invalid_field` if a field is invalid.
 */
export async function changeGroup(
  context: Context,
  { accountId, groupId, ...change }: OwnedGroup & GroupChange,
): Promise<DeviceGroup | null> {
  const name = change.name === null ? null : parseName(change.name);
  const group = await findGroup(context, { accountId, groupId });
  if (group === null) return null;
  const deviceIds =
    change.deviceIds === null
      ? null
      : await requireOwnDevices(context, { accountId, deviceIds: change.deviceIds });
  await updateGroup(context, { accountId, groupId, name, deviceIds });
  return {
    ...group,
    ...(name === null ? {} : { name }),
    ...(deviceIds === null ? {} : { deviceIds }),
  };
}
