import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { leastIdAt } from "#ids.ts";

/** The age limit in milliseconds since the epoch, and the batch size, which keeps every commit short. */
export interface Old {
  readonly before: number;
  readonly limit: number;
}

/** Deletes the oldest events; returns how many. */
export async function pruneEvents({ database: { db } }: Context, old: Old): Promise<number> {
  const rows = await oldest(db, old).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom("audit_event").where("id", "in", ids).execute();
  return ids.length;
}

/** Deletes the network addresses of old events, with the salts of their hashes; returns how many. */
export async function forgetAddresses({ database: { db } }: Context, old: Old): Promise<number> {
  const rows = await oldest(db, old).where("address", "is not", null).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await db
    .updateTable("audit_event")
    .set({ address: null, address_salt: null })
    .where("id", "in", ids)
    .execute();
  return ids.length;
}

function oldest(db: Kysely<Schema>, { before, limit }: Old) {
  return db
    .selectFrom("audit_event")
    .select("id")
    .where("id", "<", leastIdAt(before))
    .orderBy("id")
    .limit(limit);
}
