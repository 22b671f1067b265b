import { OPERATOR } from "#audit/event.ts";
import { findDeviceOwnerId } from "#devices/foreign/store.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { withContext, type ContextDeps } from "./with-context.ts";

/** The removed devices and the unknown ids, each in the order of the input. */
export interface Removal {
  readonly removed: readonly { readonly deviceId: string; readonly accountId: string }[];
  /** The ids that belong to no device of any account. */
  readonly unknown: readonly string[];
}

/**
 * Removes devices from their accounts, and records each removal in the audit log. A server may run meanwhile. Safe to
 * repeat. Throws `OperatorError` if the database cannot be used.
 */
export async function removeDevices(
  deps: ContextDeps,
  deviceIds: readonly string[],
): Promise<Removal> {
  return withContext(deps, async (context) => {
    const removed: { deviceId: string; accountId: string }[] = [];
    const unknownIds: string[] = [];
    for (const deviceId of new Set(deviceIds)) {
      const accountId = await findDeviceOwnerId(context, deviceId);
      const isRemoved =
        accountId !== null &&
        (await removeDevice(context, { accountId, deviceId, actor: OPERATOR }));
      if (isRemoved) removed.push({ deviceId, accountId });
      else unknownIds.push(deviceId);
    }
    return { removed, unknown: unknownIds };
  });
}
