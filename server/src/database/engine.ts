import type { ColumnDataType, Expression, RawBuilder } from "kysely";

/** What truly differs between the two databases; everything else is written once. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Column types of the tables that the sign-in library writes; ours use text, integer and bigint alone. */
  readonly booleanType: ColumnDataType;
  readonly timestampType: ColumnDataType;
  /** Returns the condition that a text contains another one, in any letter case of any alphabet. */
  readonly contains: (text: Expression<string>, part: string) => RawBuilder<boolean>;
  /**
   * Returns a condition that the planner expects to hold for many rows: of a row that an outer join did not find it knows
   * nothing, and would read and sort everything for what it takes for rare.
   */
  readonly often: (condition: Expression<unknown>) => RawBuilder<boolean>;
  /** Appended to the select of what a claim takes, so that two nodes never wait for each other's rows; it stands in `isOneOf`. */
  readonly skipLocked: RawBuilder<unknown>;
  /**
   * Returns the condition that a column has one of few values that a query finds. The query runs once, whatever the plan,
   * where a sub-select may run again for every row that it is compared with and take others each time; and rows are found by
   * the column, where a planner that believes in an empty table would begin with all that was deleted from it.
   */
  readonly isOneOf: (column: string, values: Expression<unknown>) => RawBuilder<boolean>;
  /** Appended to a select whose rows nobody else may change until the transaction ends; null where there is one writer. */
  readonly keepRows: RawBuilder<unknown> | null;
  /** True where a deleted row stays in its table and indexes until no transaction can see it any more. */
  readonly keepsDeleted: boolean;
  /** Ends the making of a table whose rows go by day: `column` holds ids that begin with their time. */
  readonly byDay: (column: string) => RawBuilder<unknown>;
  /** Ends the making of a table whose rows change and go soon. */
  readonly isHot: RawBuilder<unknown>;
  /** Returns the statement after which no other transaction holds this name until ours ends: for what no row stands for. */
  readonly hold: (name: string) => RawBuilder<unknown>;
  /** True for an error that says the database cannot be asked or written now, and later it may be. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** True for one of them after which what was asked may be stored all the same, now or later. */
  readonly isInDoubt: (error: unknown) => boolean;
}

/** Returns a pattern of `like` that matches what contains `part`, where a backslash escapes. */
export function patternOf(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
