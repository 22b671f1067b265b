import type { Context } from "#context.ts";
import { invalidField } from "#errors.ts";
import { findDevicesInAudience } from "../audiences/store/audience-devices.ts";

/**
 * Returns the distinct ids, in the order in which the devices were added. Throws `invalid_field` if one is not a live
 * device of the account.
 */
export async function requireOwnDevices(
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
