import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { parseName } from "../device.ts";
import { GROUPS_MAX, type DeviceGroup } from "./group.ts";
import { requireOwnDevices } from "./require-own-devices.ts";
import { insertGroup, type GroupContent } from "./store.ts";

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
