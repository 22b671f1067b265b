import { sql, type Kysely } from "kysely";
import type { Database } from "./database.ts";
import { DAY_TABLE_NAMES, dayBound, partitionsOf, type DayTable } from "./day-partitions.ts";
import { patiently } from "./prepare-days.ts";
import type { Schema } from "./schema.ts";

/** Notifications by their ids: from the first up to the second, this one not among them. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

export interface DropInput {
  /** Milliseconds since the epoch: days that ended before go. */
  readonly before: number;
  /** Returns whether something of these notifications is still owed: then their day waits. */
  readonly isOwed: (db: Kysely<Schema>, range: IdRange) => Promise<boolean>;
}

/**
 * Drops the partitions of old days, which costs the same however much is in them; nobody waits for it longer than
 * `LOCK_TIMEOUT_MS`. Throws where somebody kept reading; the rest goes the next time. On SQLite there are none.
 */
export async function dropDays(database: Database, input: DropInput): Promise<void> {
  if (database.engine.name === "sqlite") return;
  for (const table of DAY_TABLE_NAMES) await dropDaysOf(database, table, input);
}

/** Returns the id with which the days of notifications begin: what is older has none. Null where there are no days. */
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
    await patiently(database, async (db) => {
      // Another node may have been faster.
      if (!(await isThere(db, name))) return;
      // First nobody writes to the day any more: what is owed now is then all that is owed of it.
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
