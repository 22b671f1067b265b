import { sql } from "kysely";
import { leastIdAt, timeOf } from "#ids.ts";
import { DAY_MS } from "#schema/moment.ts";
import type { Database } from "../database.ts";
import { prepareDays } from "../prepare-days.ts";
import { movedTables, type MovedTable } from "./catalog.ts";
import { digestOf, type Digest } from "./checksum.ts";
import { countRows, lastRow, readRows, writeRows } from "./rows.ts";

export interface MoveInput {
  readonly from: Database;
  /** A database of the other engine. */
  readonly to: Database;
  /** Resumes an interrupted move. */
  readonly isResumed: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Runs once the target is known to be empty. Copies the data that is not in tables. */
  readonly onBegun: () => Promise<void>;
  /** Runs when both databases are equal, before the target may be used. Throws if it must not be used. */
  readonly onEqual: () => Promise<void>;
  /** Called after every batch. */
  readonly onProgress: (progress: MoveProgress) => void;
}

export interface MoveProgress {
  readonly phase: "copy" | "verify";
  readonly table: string;
  /** Rows of this table that are done. */
  readonly rows: number;
  readonly total: number;
}

/** A moved table, with the same contents in both databases. */
export interface MovedContents extends Digest {
  readonly table: string;
}

/** Thrown if nothing can be moved, or if the moved data must not be used. */
export class MoveError extends Error {
  readonly code: "not_empty" | "nothing_to_resume" | "differs";

  constructor(code: MoveError["code"], message: string) {
    super(message);
    this.name = "MoveError";
    this.code = code;
  }
}

/**
 * Copies everything from one database to the other, both migrated, and returns the contents that both then have. No
 * server starts on the target until it is verified. Each batch is one transaction, in key order, so an interrupted
 * move resumes at the last batch. Throws a `MoveError` if the target contains other data, or if both differ at the
 * end.
 */
export async function move(input: MoveInput): Promise<readonly MovedContents[]> {
  const { from, to, now } = input;
  const tables =
    from.engine.name === "sqlite" ? await movedTables(from, to) : await movedTables(to, from);
  await begin(input, tables);
  await input.onBegun();
  await prepareDays(to, { now, since: await oldestTime(from, now) });
  for (const table of tables) await copy(input, table);
  const contents: MovedContents[] = [];
  for (const table of tables) contents.push(await verify(input, table));
  await input.onEqual();
  await sql`drop table unfinished_move`.execute(to.db);
  return contents;
}

/** Throws if a database is the target of an unfinished move, because it contains only a part of the data. */
export async function refuseUnfinishedMove(database: Database): Promise<void> {
  if (!(await isUnfinished(database))) return;
  throw new Error("A move into this database was broken off. Go on with tocsin move --resume.");
}

async function begin({ to, isResumed }: MoveInput, tables: readonly MovedTable[]): Promise<void> {
  const hasStarted = await isUnfinished(to);
  if (isResumed && !hasStarted) {
    throw new MoveError("nothing_to_resume", "No move into the target was broken off.");
  }
  if (hasStarted && !isResumed) {
    throw new MoveError(
      "not_empty",
      "A move into the target was broken off. Give --resume to go on.",
    );
  }
  if (isResumed) return;
  for (const table of tables) {
    if ((await lastRow(to, table)) === null) continue;
    throw new MoveError("not_empty", `The target is not empty: it has rows in ${table.name}.`);
  }
  await sql`create table unfinished_move (marker integer)`.execute(to.db);
}

async function isUnfinished({ db, engine }: Database): Promise<boolean> {
  const query =
    engine.name === "sqlite"
      ? sql`select 1 from sqlite_master where name = 'unfinished_move'`
      : sql`select 1 where to_regclass('unfinished_move') is not null`;
  return (await query.execute(db)).rows.length > 0;
}

/** Days before now that get their own partitions. A wrong clock may have written rows that are years old. */
const DAYS_MAX = 400;

async function oldestTime({ db }: Database, now: number): Promise<number> {
  const row = await db
    .selectFrom("notification")
    .select("id")
    .where("id", ">=", leastIdAt(Math.max(0, now - DAYS_MAX * DAY_MS)))
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return Math.min(now, row === undefined ? now : timeOf(row.id));
}

async function copy({ from, to, onProgress }: MoveInput, table: MovedTable): Promise<void> {
  const total = await countRows(from, table);
  const last = await lastRow(to, table);
  let rows = last === null ? 0 : await countRows(to, table);
  const reportProgress = () => onProgress({ phase: "copy", table: table.name, rows, total });
  reportProgress();
  for await (const batch of readRows(from, table, last)) {
    await writeRows(to, table, batch);
    rows += batch.length;
    reportProgress();
  }
}

async function verify(
  { from, to, onProgress }: MoveInput,
  table: MovedTable,
): Promise<MovedContents> {
  const total = await countRows(from, table);
  let rows = 0;
  const count = (batchRows: number) => {
    rows += batchRows;
    onProgress({ phase: "verify", table: table.name, rows, total });
  };
  const [source, target] = await Promise.all([
    digestOf(from, table, () => {}),
    digestOf(to, table, count),
  ]);
  if (source.rows !== target.rows || source.checksum !== target.checksum) {
    const message = `${table.name} differs: ${source.rows} rows there, ${target.rows} here. The target must not be used.`;
    throw new MoveError("differs", message);
  }
  return { table: table.name, ...target };
}
