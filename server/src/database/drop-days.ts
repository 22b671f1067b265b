import { sql, type Kysely } from "kysely";
import type { Database } from "./database.ts";
import { DAY_TABLE_NAMES, getLowestId, listPartitions, type DayTable } from "./day-partitions.ts";
import { changePartitionsWithRetries } from "./prepare-days.ts";
import type { Schema } from "./schema.ts";

/** A range of notification ids: from `from` (inclusive) to `to` (exclusive). */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

/** The days to drop. */
export interface DropDaysInput {
  /** Milliseconds since the epoch. Only days that ended before this time are dropped. */
  readonly before: number;
  /** Returns whether any notification in this range has unfinished work. The day is then not dropped. */
  readonly hasUnfinishedWork: (db: Kysely<Schema>, range: IdRange) => Promise<boolean>;
}

/**
 * Drops the partitions of old days, at the same cost for any amount of data. Other queries wait for a drop for at most
 * `LOCK_TIMEOUT_MS` at a time. Throws if readers keep a partition locked; the next run drops the remaining days. Does
 * nothing on SQLite.
 */
export async function dropDays(database: Database, input: DropDaysInput): Promise<void> {
  if (database.engine.name === "sqlite") return;
  for (const table of DAY_TABLE_NAMES) await dropDaysOfTable(database, table, input);
}

/**
 * Returns the id at which the daily partitions of notifications begin: notifications with lower ids share one
 * partition. Returns null if there are no daily partitions.
 */
export async function findFirstPartitionedId({ db, engine }: Database): Promise<string | null> {
  if (engine.name === "sqlite") return null;
  const [oldest] = await listPartitions(db, "notification");
  return oldest?.to ?? null;
}

async function dropDaysOfTable(
  database: Database,
  table: DayTable,
  { before, hasUnfinishedWork }: DropDaysInput,
): Promise<void> {
  const limitId = getLowestId(before);
  for (const { name, from, to } of await listPartitions(database.db, table)) {
    if (from === null || to === null || to > limitId) continue;
    await changePartitionsWithRetries(database, async (db) => {
      // Another node may already have dropped the partition.
      if (!(await tableExists(db, name))) return;
      // The lock stops all writes to the day first, so that the check for unfinished work stays valid.
      await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(db);
      if (await hasUnfinishedWork(db, { from, to })) return;
      await sql`drop table ${sql.table(name)}`.execute(db);
    });
  }
}

async function tableExists(db: Kysely<Schema>, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass(${name})::text as found`.execute(db);
  return typeof rows[0]?.found === "string";
}
