import { setTimeout as wait } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import { timeOf } from "#ids.ts";
import { DAY_MS } from "#schema/moment.ts";
import type { Database } from "./database.ts";
import {
  DAY_TABLE_NAMES,
  DAY_TABLES,
  LOCK_TIMEOUT_MS,
  PAUSE_MS,
  TRIES_MAX,
  dayBound,
  partitionName,
  partitionsOf,
  rangeText,
  restName,
  startOfDay,
  type DayTable,
} from "./day-partitions.ts";
import type { Schema } from "./schema.ts";

/** Days created in advance. A server that cannot create more for that long still writes, into the rest partition. */
const DAYS_AHEAD = 7;

/**
 * Creates the missing partitions of today and the days ahead; `since` starts with an older day. Several nodes may run
 * it concurrently, and while others write. Does nothing on SQLite.
 */
export async function prepareDays(
  database: Database,
  { now, since = now }: { readonly now: number; readonly since?: number },
): Promise<void> {
  if (database.engine.name === "sqlite") return;
  const horizon = startOfDay(now) + (DAYS_AHEAD + 1) * DAY_MS;
  for (const table of DAY_TABLE_NAMES) {
    if (await isPrepared(database.db, table, horizon)) continue;
    await withRetries(database, async (db) => {
      await sql`${database.engine.hold("days")}`.execute(db);
      if (await isPrepared(db, table, horizon)) return;
      await extend(db, { table, since: startOfDay(since), today: startOfDay(now), horizon });
    });
  }
}

/** Runs a change of partitions that blocks others only briefly. Repeats it if a reader holds its lock for longer. */
export async function withRetries(
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
      if (attempt >= TRIES_MAX || !database.engine.isUnavailable(error)) throw error;
    }
    await wait(PAUSE_MS);
  }
}

async function isPrepared(db: Kysely<Schema>, table: DayTable, horizon: number): Promise<boolean> {
  const last = (await partitionsOf(db, table)).at(-1);
  return last?.from !== null && last?.from !== undefined && last.from >= dayBound(horizon);
}

interface Extension {
  readonly table: DayTable;
  readonly since: number;
  readonly today: number;
  readonly horizon: number;
}

/** Detaches the rest partition, creates days in its place, and creates a new rest partition after them. */
async function extend(db: Kysely<Schema>, extension: Extension): Promise<void> {
  const { table, horizon } = extension;
  const rest = (await partitionsOf(db, table)).at(-1);
  if (rest === undefined) throw new Error(`${table} has no partition.`);
  const oldRest = sql.table(`${table}_old`);
  await sql`alter table ${sql.table(table)} detach partition ${sql.table(rest.name)}`.execute(db);
  await sql`alter table ${sql.table(rest.name)} rename to ${oldRest}`.execute(db);
  await createPartition(db, { table, name: restName(table), from: dayBound(horizon), to: null });
  const column = sql.ref(DAY_TABLES[table]);
  await sql`with gone as (delete from ${oldRest} where ${column} >= ${dayBound(horizon)} returning *)
    insert into ${sql.table(restName(table))} select * from gone`.execute(db);
  for (let day = await keepRest(db, rest.from, extension); day < horizon; day += DAY_MS) {
    const [from, to] = [dayBound(day), dayBound(day + DAY_MS)];
    await createPartition(db, { table, name: partitionName(table, day), from, to });
  }
}

/**
 * Attaches the old rest before the days, up to the end of its last day, and returns that end. No row moves: rows
 * written before there were days stay together, and so do rows written while no days could be created.
 */
async function keepRest(
  db: Kysely<Schema>,
  from: string | null,
  { table, since, today, horizon }: Extension,
): Promise<number> {
  const oldRest = sql.table(`${table}_old`);
  const { rows } = await sql<{ last: string | null }>`
    select max(${sql.ref(DAY_TABLES[table])}) as last from ${oldRest}`.execute(db);
  const last = rows[0]?.last ?? null;
  // The days of a long downtime need no partitions.
  const begin = from === null ? since : Math.max(startOfDay(timeOf(from)), today);
  const end = last === null ? begin : Math.max(begin, endOfDay(last, horizon));
  const to = dayBound(end);
  if (from === to) {
    await sql`drop table ${oldRest}`.execute(db);
    return end;
  }
  const name = from === null ? `${table}_past` : partitionName(table, timeOf(from));
  await sql`alter table ${oldRest} rename to ${sql.table(name)}`.execute(db);
  await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)}
    for values ${sql.raw(rangeText({ from, to }))}`.execute(db);
  return end;
}

/** Returns the end of an id's day. An id in another format has no day and gets the horizon. */
function endOfDay(id: string, horizon: number): number {
  const time = timeOf(id);
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
    for values ${sql.raw(rangeText(range))}`.execute(db);
}
