import { sql, type ColumnDataType, type Expression, type RawBuilder } from "kysely";
import { foldCase } from "./fold-case.ts";

/** What truly differs between the two databases; everything else is written once. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Column types of the tables that the sign-in library writes; ours use text, integer and bigint alone. */
  readonly booleanType: ColumnDataType;
  readonly timestampType: ColumnDataType;
  /** Returns the condition that a text contains another one, in any letter case of any alphabet. */
  readonly contains: (text: Expression<string>, part: string) => RawBuilder<boolean>;
  /** Appended to a claim's sub-select, so that two nodes never wait for each other's rows. */
  readonly skipLocked: RawBuilder<unknown>;
  /** True for an error that says the database cannot be written now: nothing was stored, and later it may be. */
  readonly isUnavailable: (error: unknown) => boolean;
}

/** SQLite: one writer, so a claim needs no row locks. Result codes: sqlite.org/rescode.html. */
export const SQLITE: Engine = {
  name: "sqlite",
  booleanType: "integer",
  timestampType: "text",
  // `like` is fast and folds ASCII alone; `fold_case` is JavaScript, see sqlite-worker.ts.
  contains: (text, part) =>
    isAscii(part)
      ? sql`${text} like ${patternOf(part)} escape '\\'`
      : sql`fold_case(${text}) like ${patternOf(foldCase(part))} escape '\\'`,
  skipLocked: sql``,
  isUnavailable: (error) => UNAVAILABLE_SQLITE.has(primaryCode(error)),
};

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function patternOf(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** Primary codes: BUSY 5, LOCKED 6, READONLY 8, IOERR 10, FULL 13, CANTOPEN 14. */
const UNAVAILABLE_SQLITE: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/** The low byte of an extended result code is its primary code. */
function primaryCode(error: unknown): number {
  if (!(error instanceof Error) || !("errcode" in error)) return -1;
  return Number(error.errcode) & 0xff;
}
