import type { SQLInputValue } from "node:sqlite";
import type { TransferableValue, ProcedureStatements } from "./sqlite-procedure.ts";

/** One SQL statement with the values of its placeholders. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** The file that the SQLite thread opens, and how long it waits for locks. */
export interface ThreadOptions {
  /** The path of the file. */
  readonly path: string;
  /** Longest wait for another process's lock before an error. */
  readonly busyTimeoutMs: number;
}

/** A request from the main thread to the thread that owns the connection. */
export type ThreadRequest =
  | { readonly id: number; readonly kind: "statement"; readonly statement: Statement }
  /** Runs all statements in one transaction, or none of them. */
  | { readonly id: number; readonly kind: "transaction"; readonly statements: readonly Statement[] }
  | ProcedureCall
  /** Loads the module of a procedure. */
  | { readonly id: number; readonly kind: "load"; readonly module: string }
  | { readonly id: number; readonly kind: "close" };

/** Calls a procedure for each input, in one transaction. */
export interface ProcedureCall {
  readonly id: number;
  readonly kind: "call";
  readonly procedure: number;
  /** Absent once the thread has the procedure. */
  readonly definition?: {
    readonly module: string;
    readonly statements: ProcedureStatements;
  };
  readonly inputs: readonly TransferableValue[];
}

/** The requests of one iteration of the event loop, sent together. */
export type ThreadRequests = readonly ThreadRequest[];

/** The rows of one statement, and the number of rows that it changed. */
export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** The replies to some requests, in the same order. */
export type ThreadReplies = readonly ThreadReply[];

/** The result of a request: results in the order of the statements, or outputs in the order of a procedure's inputs. */
export type ThreadResult =
  | { readonly results: readonly StatementResult[] }
  | { readonly outputs: readonly TransferableValue[] };

/** The reply to a request: its result, or the error that rolled it back. */
export type ThreadReply = { readonly id: number } & (
  | ThreadResult
  | { readonly error: SqliteFailure }
);

/** An error of SQLite, in a form that threads can send. */
export interface SqliteFailure {
  readonly message: string;
  /** The extended result code; null if the error has none. */
  readonly errcode: number | null;
  /** True if a failed commit may still be found after the next start. */
  readonly isInDoubt: boolean;
}
