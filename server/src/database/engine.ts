import type { ColumnDataType, Expression, RawBuilder } from "kysely";

/** The differences between the two databases. Everything else is written once. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Column types of the oldest tables, the account tables. All others use only text, integer and bigint. */
  readonly booleanType: ColumnDataType;
  readonly timestampType: ColumnDataType;
  /** Returns the condition that a text contains another one, ignoring letter case in any alphabet. */
  readonly contains: (text: Expression<string>, part: string) => RawBuilder<boolean>;
  /**
   * Returns a condition that the planner expects to hold for many rows. It has no statistics of rows that an outer
   * join did not find: it would assume that the condition is rare, and read and sort everything.
   */
  readonly often: (condition: Expression<unknown>) => RawBuilder<boolean>;
  /** Appended to the select of a claim, so that two nodes never wait for each other's rows. Used in `isOneOf`. */
  readonly skipLocked: RawBuilder<unknown>;
  /**
   * Returns the condition that a column has one of the few values that a query finds. The query runs once under any
   * plan; a sub-select may run again for every compared row, and find other rows each time. Rows are found by the
   * column; a planner that assumes an empty table would otherwise start with all rows deleted from it.
   */
  readonly isOneOf: (column: string, values: Expression<unknown>) => RawBuilder<boolean>;
  /** Appended to a select to lock its rows until the transaction ends; null on an engine with one writer. */
  readonly keepRows: RawBuilder<unknown> | null;
  /** True if a deleted row stays in its table and indexes until no transaction can see it any more. */
  readonly keepsDeleted: boolean;
  /** Appended to the `create table` of a table with daily partitions: `column` holds ids that begin with their time. */
  readonly byDay: (column: string) => RawBuilder<unknown>;
  /** Appended to the `create table` of a table whose rows are changed and deleted soon. */
  readonly isHot: RawBuilder<unknown>;
  /** Returns the statement that locks a name until the transaction ends, for things that no row represents. */
  readonly hold: (name: string) => RawBuilder<unknown>;
  /** True for an error that means that the database cannot be read or written now, but may be later. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** True for such an error if the statements may still be stored, now or later. */
  readonly isInDoubt: (error: unknown) => boolean;
}

/** Returns a `like` pattern that matches texts that contain `part`. A backslash escapes. */
export function containsPattern(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
