import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { toMinId } from "#ids.ts";

/**
 * The rows from before `beforeAt` (milliseconds since the epoch), at most `limit` of them so that each commit stays
 * short.
 */
export interface OldRowSelection {
  readonly beforeAt: number;
  readonly limit: number;
}

/** Deletes the oldest events and returns their number. */
export async function pruneEvents(
  { database: { db } }: Context,
  selection: OldRowSelection,
): Promise<number> {
  const rows = await selectOldest(db, selection).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom("audit_event").where("id", "in", ids).execute();
  return ids.length;
}

/** Erases the IP addresses of old events and the salts of their hashes. Returns the number of events. */
export async function eraseAddresses(
  { database: { db } }: Context,
  selection: OldRowSelection,
): Promise<number> {
  const rows = await selectOldest(db, selection).where("address", "is not", null).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await db
    .updateTable("audit_event")
    .set({ address: null, address_salt: null })
    .where("id", "in", ids)
    .execute();
  return ids.length;
}

function selectOldest(db: Kysely<Schema>, { beforeAt, limit }: OldRowSelection) {
  return db
    .selectFrom("audit_event")
    .select("id")
    .where("id", "<", toMinId(beforeAt))
    .orderBy("id")
    .limit(limit);
}
