import type { Context } from "#context.ts";
import { ADDRESS_RETENTION_MS, RETENTION_MS } from "../days.ts";
import { sealDays } from "../chain/seal.ts";
import { forgetAddresses, pruneEvents } from "./store.ts";

/**
 * Chains the days that are over, and deletes up to `limit` addresses and as many events that are too old; returns how many of that
 * of which there were more.
 */
export async function keepAuditLog(context: Context, limit: number): Promise<number> {
  await sealDays(context);
  const now = context.now();
  const addresses = await forgetAddresses(context, { before: now - ADDRESS_RETENTION_MS, limit });
  const events = await pruneEvents(context, { before: now - RETENTION_MS, limit });
  return Math.max(addresses, events);
}
