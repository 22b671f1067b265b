import { sql } from "kysely";
import { containsPattern, type Engine } from "./engine.ts";
import { foldCase, isAscii } from "./fold-case.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { SqliteError } from "./sqlite-thread.ts";

/** SQLite has one writer, so nothing needs row locks. Result codes: sqlite.org/rescode.html. */
export const SQLITE: Engine = {
  name: "sqlite",
  booleanType: "integer",
  timestampType: "text",
  // `like` is fast and folds only ASCII; `fold_case` is JavaScript, see sqlite-worker.ts.
  contains: (text, part) =>
    isAscii(part)
      ? sql`${text} like ${containsPattern(part)} escape '\\'`
      : sql`fold_case(${text}) like ${containsPattern(foldCase(part))} escape '\\'`,
  skipLocked: sql``,
  isOneOf: (column, values) => sql`${sql.ref(column)} in ${values}`,
  keepRows: null,
  often: (condition) => sql`${condition}`,
  keepsDeleted: false,
  byDay: () => sql``,
  isHot: sql``,
  hold: () => sql`select 1`,
  isUnavailable: (error) => error instanceof InDoubtError || UNAVAILABLE.has(primaryCode(error)),
  isInDoubt: (error) =>
    error instanceof InDoubtError || (error instanceof SqliteError && error.isInDoubt),
};

/** Primary codes: BUSY 5, LOCKED 6, READONLY 8, IOERR 10, FULL 13, CANTOPEN 14. */
const UNAVAILABLE: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/** The low byte of an extended result code is its primary code. */
function primaryCode(error: unknown): number {
  if (!(error instanceof Error) || !("errcode" in error)) return -1;
  return Number(error.errcode) & 0xff;
}
