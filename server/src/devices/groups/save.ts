import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import { findDevicesInAudience } from "../audiences/store/audience-devices.ts";
import { parseName } from "../device.ts";
import { GROUPS_MAX, type DeviceGroup } from "./group.ts";
import {
  findGroup,
  insertGroup,
  updateGroup,
  type GroupChange,
  type GroupContent,
  type OwnedGroup,
} from "./store.ts";

/**
 * Creates a group of the account's live devices and returns it. Throws `invalid_field` if a field is invalid, and
 * `conflict` if the account has the maximum number of groups.
 */
export async function createGroup(
  context: Context,
  { accountId, ...content }: GroupContent & { readonly accountId: string },
): Promise<DeviceGroup> {
  const name = parseName(content.name);
  const deviceIds = await requireOwnDevices(context, { accountId, deviceIds: content.deviceIds });
  const insertedGroup = await insertGroup(context, { accountId, name, deviceIds, max: GROUPS_MAX });
  if (insertedGroup === "full") {
    throw new AppError("conflict", `An account has at most ${GROUPS_MAX} groups. Remove one.`);
  }
  return { id: insertedGroup.id, name, deviceIds };
}

/**
 * Renames a group of the account or replaces its devices, and returns it; null if there is no such group. Throws
 * `invalid_field` if a field is invalid.
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
  return { ...group, ...(name === null ? {} : { name }), ...(deviceIds && { deviceIds }) };
}

/**
 * Returns the distinct ids, in the order in which the devices were added. Throws `invalid_field` if one is not a live
 * device of the account.
 */
async function requireOwnDevices(
  context: Context,
  { accountId, deviceIds }: { readonly accountId: string; readonly deviceIds: readonly string[] },
): Promise<readonly string[]> {
  const uniqueIds = [...new Set(deviceIds)];
  const devices = await findDevicesInAudience(
    context,
    { kind: "account", accountId },
    { deviceIds: uniqueIds },
  );
  if (devices.length !== uniqueIds.length) {
    throw invalidField("deviceIds", "deviceIds names a device that is not one of yours.");
  }
  return devices.map(({ deviceId }) => deviceId);
}
