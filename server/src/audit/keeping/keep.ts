import type { Context } from "#context.ts";
import { inBatches } from "#concurrency/in-batches.ts";
import { ADDRESS_RETENTION_MS, RETENTION_MS } from "../days.ts";
import { sealDays } from "../chain/seal.ts";
import { forgetAddresses, pruneEvents } from "./store.ts";

/**
 * Chains the days that are over, and deletes addresses and events that are too old; leaves the rest to the next run
 * once `isStopped` is true.
 */
export async function keepAuditLog(context: Context, isStopped: () => boolean): Promise<void> {
  await sealDays(context);
  const now = context.now();
  await inBatches(isStopped, (limit) =>
    forgetAddresses(context, { before: now - ADDRESS_RETENTION_MS, limit }),
  );
  await inBatches(isStopped, (limit) =>
    pruneEvents(context, { before: now - RETENTION_MS, limit }),
  );
}
