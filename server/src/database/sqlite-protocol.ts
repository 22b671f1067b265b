import type { SQLInputValue } from "node:sqlite";

/** One SQL statement with the values of its placeholders. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** What the main thread asks of the thread that owns the connection. */
export type Request =
  | { readonly id: number; readonly kind: "one"; readonly statement: Statement }
  /** All statements in one transaction, or none of them. */
  | { readonly id: number; readonly kind: "atomic"; readonly statements: readonly Statement[] }
  | { readonly id: number; readonly kind: "close" };

/** What was asked in one turn of the event loop goes together. */
export type Requests = readonly Request[];

/** The rows of one statement, and how many rows it changed. */
export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** What comes back of some requests, in their order. */
export type Replies = readonly Reply[];

/** What comes back: results in the order of the statements, or the error that rolled them back. */
export type Reply =
  | { readonly id: number; readonly results: readonly StatementResult[] }
  | { readonly id: number; readonly error: Failure };

/** An error of SQLite, as it goes between threads. */
export interface Failure {
  readonly message: string;
  /** Its extended result code. */
  readonly errcode: number | null;
  /** True of a commit that failed, and may be found after the next start all the same. */
  readonly isInDoubt: boolean;
}
