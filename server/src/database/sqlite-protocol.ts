import type { SQLInputValue } from "node:sqlite";

/** One SQL statement with the values of its placeholders. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** A request from the main thread to the thread that owns the connection. */
export type Request =
  | { readonly id: number; readonly kind: "one"; readonly statement: Statement }
  /** All statements in one transaction, or none of them. */
  | { readonly id: number; readonly kind: "atomic"; readonly statements: readonly Statement[] }
  | { readonly id: number; readonly kind: "close" };

/** The requests of one iteration of the event loop, sent together. */
export type Requests = readonly Request[];

/** The rows of one statement, and the number of rows that it changed. */
export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** The replies to some requests, in the same order. */
export type Replies = readonly Reply[];

/** The reply to a request: results in the order of the statements, or the error that rolled them back. */
export type Reply =
  | { readonly id: number; readonly results: readonly StatementResult[] }
  | { readonly id: number; readonly error: SqliteFailure };

/** An error of SQLite, as sent between threads. */
export interface SqliteFailure {
  readonly message: string;
  /** Its extended result code. */
  readonly errcode: number | null;
  /** True if a failed commit may still be found after the next start. */
  readonly isInDoubt: boolean;
}
