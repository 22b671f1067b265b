import { setTimeout as wait } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import { parseIdTime } from "#ids.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import type { Database } from "./database.ts";
import {
  DAY_TABLE_NAMES,
  DAY_TABLES,
  LOCK_TIMEOUT_MS,
  RETRY_PAUSE_MS,
  ATTEMPTS_MAX,
  getLowestId,
  formatPartitionName,
  listPartitions,
  formatBounds,
  getCatchAllPartitionName,
  startOfDay,
  type DayTable,
} from "./day-partitions.ts";
import type { Schema } from "./schema.ts";

/**
 * Number of days created in advance. If a server cannot create days for longer than that, it writes into the catch-all
 * partition.
 */
const DAYS_AHEAD = 7;

/**
 * Creates the missing partitions of today and of the days ahead. In a database without days, the first day is that of
 * `since`. Several nodes may run this concurrently, and other nodes may write meanwhile. Does nothing on SQLite.
 */
export async function prepareDays(
  database: Database,
  { now, since = now }: { readonly now: number; readonly since?: number },
): Promise<void> {
  if (database.engine.name === "sqlite") return;
  const horizon = startOfDay(now) + (DAYS_AHEAD + 1) * DAY_MS;
  for (const table of DAY_TABLE_NAMES) {
    if (await areDaysPrepared(database.db, table, horizon)) continue;
    await changePartitionsWithRetries(database, async (db) => {
      await sql`${database.engine.lockName("days")}`.execute(db);
      if (await areDaysPrepared(db, table, horizon)) return;
      await addDays(db, { table, firstDay: startOfDay(since), today: startOfDay(now), horizon });
    });
  }
}

/**
 * Runs a change of partitions in its own transaction. Waits only briefly for a lock, because all other queries wait
 * behind it, and runs the change again later if a reader holds the lock for longer.
 */
export async function changePartitionsWithRetries(
  database: Database,
  run: (db: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction(async (db) => {
        await sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true)`.execute(db);
        await run(db);
      });
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !database.engine.isUnavailable(error)) throw error;
    }
    await wait(RETRY_PAUSE_MS);
  }
}

async function areDaysPrepared(
  db: Kysely<Schema>,
  table: DayTable,
  horizon: number,
): Promise<boolean> {
  const lastPartition = (await listPartitions(db, table)).at(-1);
  return (
    lastPartition?.from !== null &&
    lastPartition?.from !== undefined &&
    lastPartition.from >= getLowestId(horizon)
  );
}

/** The days to create in one table. All times are starts of days. */
interface DaySpan {
  readonly table: DayTable;
  readonly firstDay: number;
  readonly today: number;
  /** The day after the last one to create. */
  readonly horizon: number;
}

/** Detaches the catch-all partition, creates days in its place, and creates a new catch-all partition after them. */
async function addDays(db: Kysely<Schema>, span: DaySpan): Promise<void> {
  const { table, horizon } = span;
  const catchAll = (await listPartitions(db, table)).at(-1);
  if (catchAll === undefined) throw new Error(`${table} has no partition.`);
  const oldCatchAll = sql.table(`${table}_old`);
  await sql`alter table ${sql.table(table)} detach partition ${sql.table(catchAll.name)}`.execute(
    db,
  );
  await sql`alter table ${sql.table(catchAll.name)} rename to ${oldCatchAll}`.execute(db);
  await createPartition(db, {
    table,
    name: getCatchAllPartitionName(table),
    from: getLowestId(horizon),
    to: null,
  });
  const column = sql.ref(DAY_TABLES[table]);
  await sql`with gone as (delete from ${oldCatchAll} where ${column} >= ${getLowestId(horizon)} returning *)
    insert into ${sql.table(getCatchAllPartitionName(table))} select * from gone`.execute(db);
  for (let day = await attachOldCatchAll(db, catchAll.from, span); day < horizon; day += DAY_MS) {
    const name = formatPartitionName(table, day);
    const from = getLowestId(day);
    await createPartition(db, { table, name, from, to: getLowestId(day + DAY_MS) });
  }
}

/**
 * Attaches the old catch-all partition before the days, up to the end of its last day, and returns that end. No row
 * moves: rows written before there were days stay together, and so do rows written while no days could be created.
 */
async function attachOldCatchAll(
  db: Kysely<Schema>,
  from: string | null,
  { table, firstDay, today, horizon }: DaySpan,
): Promise<number> {
  const oldCatchAll = sql.table(`${table}_old`);
  const { rows } = await sql<{ last: string | null }>`
    select max(${sql.ref(DAY_TABLES[table])}) as last from ${oldCatchAll}`.execute(db);
  const lastId = rows[0]?.last ?? null;
  // Days of long downtime need no partitions.
  const begin = from === null ? firstDay : Math.max(startOfDay(parseIdTime(from)), today);
  const end = lastId === null ? begin : Math.max(begin, endOfDay(lastId, horizon));
  const to = getLowestId(end);
  if (from === to) {
    await sql`drop table ${oldCatchAll}`.execute(db);
    return end;
  }
  const name = from === null ? `${table}_past` : formatPartitionName(table, parseIdTime(from));
  await sql`alter table ${oldCatchAll} rename to ${sql.table(name)}`.execute(db);
  await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)}
    for values ${sql.raw(formatBounds({ from, to }))}`.execute(db);
  return end;
}

/** Returns the end of the day of an id; the horizon for an id in another format. */
function endOfDay(id: string, horizon: number): number {
  const time = parseIdTime(id);
  return Number.isNaN(time) ? horizon : Math.min(horizon, startOfDay(time) + DAY_MS);
}

async function createPartition(
  db: Kysely<Schema>,
  {
    table,
    name,
    ...range
  }: { table: DayTable; name: string; from: string | null; to: string | null },
): Promise<void> {
  await sql`create table ${sql.table(name)} partition of ${sql.table(table)}
    for values ${sql.raw(formatBounds(range))}`.execute(db);
}
