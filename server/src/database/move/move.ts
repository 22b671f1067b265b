import { sql } from "kysely";
import { toMinId, parseIdTime } from "#ids.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import type { Database } from "../database.ts";
import { prepareDays } from "../prepare-days.ts";
import { listMovedTables, type MovedTable } from "./catalog.ts";
import { computeDigest, type TableDigest } from "./compute-digest.ts";
import { countRows, findLastRow, readRows, writeRows } from "./rows.ts";

/** Both databases of a move, the clock, and callbacks. */
export interface MoveInput {
  readonly from: Database;
  /** A database of the other engine. */
  readonly to: Database;
  /** Whether an interrupted move is resumed. */
  readonly isResumed: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Copies the data that is not in tables. Runs once the target is known to be empty, or to belong to this move. */
  readonly onStarted: () => Promise<void>;
  /** Runs once both databases are equal, before the target may be used. Throws if the target must not be used. */
  readonly onVerified: () => Promise<void>;
  /** Called after every batch. */
  readonly onProgress: (progress: MoveProgress) => void;
}

/** The progress of copying or verifying one table. */
export interface MoveProgress {
  readonly phase: "copy" | "verify";
  readonly table: string;
  /** The number of rows of this table that are done. */
  readonly rows: number;
  /** The number of all rows of this table. */
  readonly total: number;
}

/** A moved table, with the same contents in both databases. */
export interface MovedContents extends TableDigest {
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
 * Copies all tables from one migrated database to another, and returns the contents that both then have. No server
 * starts on the target until it is verified. Each batch is one transaction, in key order, so an interrupted
 * move resumes at the last batch. Throws a `MoveError` if the target contains other data, or if both differ at the
 * end.
 */
export async function moveDatabase(input: MoveInput): Promise<readonly MovedContents[]> {
  const { from, to, now } = input;
  const tables =
    from.engine.name === "sqlite"
      ? await listMovedTables(from, to)
      : await listMovedTables(to, from);
  await beginMove(input, tables);
  await input.onStarted();
  await prepareDays(to, { now, since: await findOldestTime(from, now) });
  for (const table of tables) await copyTable(input, table);
  const contents: MovedContents[] = [];
  for (const table of tables) contents.push(await verifyTable(input, table));
  await input.onVerified();
  await sql`drop table unfinished_move`.execute(to.db);
  return contents;
}

/** Throws if a database is the target of an unfinished move: it contains only a part of the data. */
export async function refuseUnfinishedMove(database: Database): Promise<void> {
  if (!(await hasUnfinishedMove(database))) return;
  throw new Error(
    "A move into this database was interrupted. Resume it with tocsin move --resume.",
  );
}

async function beginMove(
  { to, isResumed }: MoveInput,
  tables: readonly MovedTable[],
): Promise<void> {
  const hasStarted = await hasUnfinishedMove(to);
  if (isResumed && !hasStarted) {
    throw new MoveError("nothing_to_resume", "There is no interrupted move into the target.");
  }
  if (hasStarted && !isResumed) {
    throw new MoveError(
      "not_empty",
      "A move into the target was interrupted. Give --resume to resume it.",
    );
  }
  if (isResumed) return;
  for (const table of tables) {
    if ((await findLastRow(to, table)) === null) continue;
    throw new MoveError("not_empty", `The target is not empty: it has rows in ${table.name}.`);
  }
  await sql`create table unfinished_move (marker integer)`.execute(to.db);
}

async function hasUnfinishedMove({ db, engine }: Database): Promise<boolean> {
  const query =
    engine.name === "sqlite"
      ? sql`select 1 from sqlite_master where name = 'unfinished_move'`
      : sql`select 1 where to_regclass('unfinished_move') is not null`;
  return (await query.execute(db)).rows.length > 0;
}

/** The number of past days that get their own partitions. A wrong clock may have written rows that are years old. */
const PARTITIONED_DAYS_MAX = 400;

async function findOldestTime({ db }: Database, now: number): Promise<number> {
  const row = await db
    .selectFrom("notification")
    .select("id")
    .where("id", ">=", toMinId(Math.max(0, now - PARTITIONED_DAYS_MAX * DAY_MS)))
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return Math.min(now, row === undefined ? now : parseIdTime(row.id));
}

async function copyTable({ from, to, onProgress }: MoveInput, table: MovedTable): Promise<void> {
  const total = await countRows(from, table);
  const lastCopied = await findLastRow(to, table);
  let rows = lastCopied === null ? 0 : await countRows(to, table);
  const reportProgress = () => onProgress({ phase: "copy", table: table.name, rows, total });
  reportProgress();
  for await (const batch of readRows(from, table, lastCopied)) {
    await writeRows(to, table, batch);
    rows += batch.length;
    reportProgress();
  }
}

async function verifyTable(
  { from, to, onProgress }: MoveInput,
  table: MovedTable,
): Promise<MovedContents> {
  const total = await countRows(from, table);
  let rows = 0;
  const reportBatch = (rowCount: number) => {
    rows += rowCount;
    onProgress({ phase: "verify", table: table.name, rows, total });
  };
  const [source, target] = await Promise.all([
    computeDigest(from, table, () => {}),
    computeDigest(to, table, reportBatch),
  ]);
  if (source.rows !== target.rows || source.checksum !== target.checksum) {
    const message = `${table.name} differs: ${source.rows} rows in the source, ${target.rows} in the target. The target must not be used.`;
    throw new MoveError("differs", message);
  }
  return { table: table.name, ...target };
}
