import type { Context } from "#context.ts";
import { chainDays } from "../chain/chain-days.ts";
import { ADDRESS_RETENTION_MS, EVENT_RETENTION_MS } from "./periods.ts";
import { eraseAddresses, pruneEvents } from "./store.ts";

/**
 * Chains the days that have ended, erases up to `limit` expired addresses, and deletes up to `limit` expired
 * events. Returns the larger of the two numbers.
 */
export async function maintainAuditLog(context: Context, limit: number): Promise<number> {
  await chainDays(context);
  const now = context.now();
  const addresses = await eraseAddresses(context, { beforeAt: now - ADDRESS_RETENTION_MS, limit });
  const events = await pruneEvents(context, { beforeAt: now - EVENT_RETENTION_MS, limit });
  return Math.max(addresses, events);
}
