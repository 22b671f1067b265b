import type { ColumnDataType, Expression, RawBuilder } from "kysely";

/** Differences between the two databases; everything else is written once. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Column types of the oldest tables, those of accounts; all others use only text, integer and bigint. */
  readonly booleanType: ColumnDataType;
  readonly timestampType: ColumnDataType;
  /** Returns the condition that a text contains another one, in any letter case of any alphabet. */
  readonly contains: (text: Expression<string>, part: string) => RawBuilder<boolean>;
  /**
   * Returns a condition that the planner expects to hold for many rows: it has no statistics of rows that an outer join
   * did not find, takes the condition for rare, and would read and sort everything.
   */
  readonly often: (condition: Expression<unknown>) => RawBuilder<boolean>;
  /** Appended to the select of a claim, so that two nodes never wait for each other's rows; used in `isOneOf`. */
  readonly skipLocked: RawBuilder<unknown>;
  /**
   * Returns the condition that a column has one of the few values that a query finds. The query runs once, whatever the
   * plan; a sub-select may run again for every row that it is compared with, and take others each time. Rows are found
   * by the column; a planner that believes in an empty table would otherwise begin with all rows deleted from it.
   */
  readonly isOneOf: (column: string, values: Expression<unknown>) => RawBuilder<boolean>;
  /** Appended to a select to lock its rows until the transaction ends; null on an engine with one writer. */
  readonly keepRows: RawBuilder<unknown> | null;
  /** True if a deleted row stays in its table and indexes until no transaction can see it any more. */
  readonly keepsDeleted: boolean;
  /** Ends the `create table` of a table with daily partitions: `column` holds ids that begin with their time. */
  readonly byDay: (column: string) => RawBuilder<unknown>;
  /** Ends the `create table` of a table whose rows change and are deleted soon. */
  readonly isHot: RawBuilder<unknown>;
  /** Returns the statement that locks a name until the transaction ends: for things that no row represents. */
  readonly hold: (name: string) => RawBuilder<unknown>;
  /** True for an error that means that the database cannot be read or written now, but may be later. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** True for such an error after which the statements may be stored all the same, now or later. */
  readonly isInDoubt: (error: unknown) => boolean;
}

/** Returns a pattern of `like` that matches texts that contain `part`; a backslash escapes. */
export function patternOf(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
