import { OPERATOR } from "#audit/event.ts";
import { ownerOf } from "#devices/foreign/store.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { withContext, type ContextDeps } from "./with-context.ts";

/** What became of each device, in the order in which they were named. */
export interface Removal {
  readonly removed: readonly { readonly deviceId: string; readonly accountId: string }[];
  /** No account has them, or not any more. */
  readonly unknown: readonly string[];
}

/**
 * Removes devices from their accounts, as their owners do in the console, and records each; a server may run meanwhile. What is
 * sent from then on does not reach them. Safe to repeat. Throws `OperatorError`.
 */
export async function removeDevices(
  deps: ContextDeps,
  deviceIds: readonly string[],
): Promise<Removal> {
  return withContext(deps, async (context) => {
    const removed: { deviceId: string; accountId: string }[] = [];
    const unknown: string[] = [];
    for (const deviceId of new Set(deviceIds)) {
      const accountId = await ownerOf(context, deviceId);
      const isRemoved =
        accountId !== null && (await removeDevice(context, { accountId, deviceId, by: OPERATOR }));
      if (isRemoved) removed.push({ deviceId, accountId });
      else unknown.push(deviceId);
    }
    return { removed, unknown };
  });
}
