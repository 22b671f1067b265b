import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { leastIdAt } from "#ids.ts";

/**
 * Selects the rows from before `before` (milliseconds since the epoch), at most `limit` of them so that each commit
 * stays short.
 */
export interface AgeLimit {
  readonly before: number;
  readonly limit: number;
}

/** Deletes the oldest events and returns their number. */
export async function pruneEvents(
  { database: { db } }: Context,
  limits: AgeLimit,
): Promise<number> {
  const rows = await selectOldest(db, limits).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom("audit_event").where("id", "in", ids).execute();
  return ids.length;
}

/** Erases the IP addresses of old events and the salts of their hashes. Returns the number of events. */
export async function forgetAddresses(
  { database: { db } }: Context,
  limits: AgeLimit,
): Promise<number> {
  const rows = await selectOldest(db, limits).where("address", "is not", null).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await db
    .updateTable("audit_event")
    .set({ address: null, address_salt: null })
    .where("id", "in", ids)
    .execute();
  return ids.length;
}

function selectOldest(db: Kysely<Schema>, { before, limit }: AgeLimit) {
  return db
    .selectFrom("audit_event")
    .select("id")
    .where("id", "<", leastIdAt(before))
    .orderBy("id")
    .limit(limit);
}
