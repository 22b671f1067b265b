import { sql, type Kysely } from "kysely";
import type { Database } from "./database.ts";
import { DAY_TABLE_NAMES, dayBound, partitionsOf, type DayTable } from "./day-partitions.ts";
import { withRetries } from "./prepare-days.ts";
import type { Schema } from "./schema.ts";

/** A range of notification ids: from `from` (inclusive) to `to` (exclusive). */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

export interface DropInput {
  /** Milliseconds since the epoch. Days that ended before this time are dropped. */
  readonly before: number;
  /** Returns whether any of these notifications still has unfinished work. Its day is then kept. */
  readonly isOwed: (db: Kysely<Schema>, range: IdRange) => Promise<boolean>;
}

/**
 * Drops the partitions of old days, at the same cost for any amount of data. Other queries wait for it for at most
 * `LOCK_TIMEOUT_MS`. Throws if readers kept a partition locked; the next run drops the rest. Does nothing on SQLite.
 */
export async function dropDays(database: Database, input: DropInput): Promise<void> {
  if (database.engine.name === "sqlite") return;
  for (const table of DAY_TABLE_NAMES) await dropDaysOf(database, table, input);
}

/**
 * Returns the id at which the daily partitions of notifications begin; older ones have no daily partition. Null
 * without daily partitions.
 */
export async function firstDay({ db, engine }: Database): Promise<string | null> {
  if (engine.name === "sqlite") return null;
  const [past] = await partitionsOf(db, "notification");
  return past?.to ?? null;
}

async function dropDaysOf(
  database: Database,
  table: DayTable,
  { before, isOwed }: DropInput,
): Promise<void> {
  const limit = dayBound(before);
  for (const { name, from, to } of await partitionsOf(database.db, table)) {
    if (from === null || to === null || to > limit) continue;
    await withRetries(database, async (db) => {
      // Another node may have dropped it already.
      if (!(await isThere(db, name))) return;
      // The lock stops all writes to the day first, so that the check for unfinished work stays valid.
      await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(db);
      if (await isOwed(db, { from, to })) return;
      await sql`drop table ${sql.table(name)}`.execute(db);
    });
  }
}

async function isThere(db: Kysely<Schema>, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass(${name})::text as found`.execute(db);
  return typeof rows[0]?.found === "string";
}
