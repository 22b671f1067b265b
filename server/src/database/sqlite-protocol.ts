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

/** A request from the main thread to the thread that owns the connection. The reply has the same `id`. */
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
  /** The number that the main thread gave the procedure when it defined it, from 1. */
  readonly procedureNumber: number;
  /** The module and the SQL, from which the thread creates the procedure; absent once it has created it. */
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

/** The replies to some requests, in the order of the requests. */
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
  /** True if the commit failed, but is still in the log, so that the next process could treat it as stored. */
  readonly isInDoubt: boolean;
}
