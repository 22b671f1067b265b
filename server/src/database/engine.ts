import type { ColumnDataType, Expression, RawBuilder } from "kysely";

/** The differences between SQLite and PostgreSQL. Nearly all other code is the same for both. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Type of boolean columns in the account tables, the oldest ones. Later tables store booleans as integers. */
  readonly booleanType: ColumnDataType;
  /** Type of time columns in the account tables. Later tables store milliseconds since the epoch as bigint. */
  readonly timestampType: ColumnDataType;
  /** Returns the condition that `text` contains `part`, ignoring letter case in any alphabet. */
  readonly contains: (text: Expression<string>, part: string) => RawBuilder<boolean>;
  /**
   * Returns the condition in a form that PostgreSQL's planner expects to be true for many rows. The planner has no
   * statistics of rows that an outer join did not find: it would assume that few rows match, and read and sort all.
   */
  readonly expectMany: (condition: Expression<unknown>) => RawBuilder<boolean>;
  /**
   * Clause to append to the select of a claim, so that two nodes never wait for each other's rows. Such a select is an
   * argument of `isOneOf`.
   */
  readonly skipLocked: RawBuilder<unknown>;
  /**
   * Returns the condition that a column has one of the few values that a query selects. The query runs only once under
   * any plan: a sub-select may run again for every compared row, and select other rows each time. The plan also looks
   * rows up by the column: PostgreSQL would otherwise plan for an empty table and scan all its dead rows.
   */
  readonly isOneOf: (column: string, values: Expression<unknown>) => RawBuilder<boolean>;
  /** Clause to append to a select that locks its rows until the transaction ends; null on an engine with one writer. */
  readonly lockRows: RawBuilder<unknown> | null;
  /** True if a deleted row stays in its table and its indexes until no transaction can see it any more. */
  readonly keepsDeletedRows: boolean;
  /**
   * Returns the clause of a `create table` that partitions the table by day; `column` holds ids that begin with their
   * time.
   */
  readonly partitionedByDay: (column: string) => RawBuilder<unknown>;
  /** Clause to append to a `create table` if rows of the table are soon updated and deleted. */
  readonly frequentlyUpdated: RawBuilder<unknown>;
  /** Returns the statement that locks a name until the transaction ends, for resources that no row represents. */
  readonly lockName: (name: string) => RawBuilder<unknown>;
  /** Returns whether an error means that the database cannot be read or written now, but may be later. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Returns whether an error leaves open whether the statements are stored, or will be stored later. */
  readonly isInDoubt: (error: unknown) => boolean;
}

/** Returns the `like` pattern for texts that contain `part`. Its escape character is the backslash. */
export function toLikePattern(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
