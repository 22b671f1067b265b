import { OPERATOR } from "#audit/event.ts";
import { ownerOf } from "#devices/foreign/store.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { withContext, type ContextDeps } from "./with-context.ts";

/** The results, in the order of the given devices. */
export interface Removal {
  readonly removed: readonly { readonly deviceId: string; readonly accountId: string }[];
  /** Belong to no account, or no longer. */
  readonly unknown: readonly string[];
}

/**
 * Removes devices from their accounts, as their owners do in the console, and records each; a server may run meanwhile.
 * Later notifications do not reach them. Safe to repeat. Throws `OperatorError`.
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
        accountId !== null &&
        (await removeDevice(context, { accountId, deviceId, actor: OPERATOR }));
      if (isRemoved) removed.push({ deviceId, accountId });
      else unknown.push(deviceId);
    }
    return { removed, unknown };
  });
}
