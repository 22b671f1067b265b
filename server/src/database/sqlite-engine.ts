import { sql } from "kysely";
import { toLikePattern, type Engine } from "./engine.ts";
import { foldCase, isPrintableAscii } from "./fold-case.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { SqliteError } from "./sqlite-thread.ts";

/** The engine of SQLite. It has one writer, so it needs no row locks. Result codes: sqlite.org/rescode.html. */
export const SQLITE: Engine = {
  name: "sqlite",
  booleanType: "integer",
  timestampType: "text",
  // `like` is fast and folds only ASCII; `fold_case` is JavaScript, see sqlite-worker.ts.
  contains: (text, part) =>
    isPrintableAscii(part)
      ? sql`${text} like ${toLikePattern(part)} escape '\\'`
      : sql`fold_case(${text}) like ${toLikePattern(foldCase(part))} escape '\\'`,
  skipLocked: sql``,
  isOneOf: (column, values) => sql`${sql.ref(column)} in ${values}`,
  lockRows: null,
  expectMany: (condition) => sql`${condition}`,
  keepsDeletedRows: false,
  partitionedByDay: () => sql``,
  frequentlyUpdated: sql``,
  lockName: () => sql`select 1`,
  isUnavailable: (error) =>
    error instanceof InDoubtError || UNAVAILABLE_CODES.has(getPrimaryCode(error)),
  isInDoubt: (error) =>
    error instanceof InDoubtError || (error instanceof SqliteError && error.isInDoubt),
};

/** The primary codes BUSY 5, LOCKED 6, READONLY 8, IOERR 10, FULL 13 and CANTOPEN 14. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/** Returns the primary code of an error: the low byte of its extended result code; -1 for any other error. */
function getPrimaryCode(error: unknown): number {
  if (!(error instanceof Error) || !("errcode" in error)) return -1;
  return Number(error.errcode) & 0xff;
}
