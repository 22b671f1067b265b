import type { SQLInputValue, StatementSync } from "node:sqlite";

/** The SQL of a procedure's statements, by their names. */
export type ProcedureStatements = Readonly<Record<string, string>>;

/**
 * Runs a procedure on the SQLite thread, once per input. A procedure runs several statements, and code between them, in
 * one transaction: all changes are stored, or none. One message contains all inputs, because on hot paths messages cost
 * more than the statements. `getStatements` is called only until the thread has received the SQL.
 */
export type CallProcedure = (
  inputs: readonly TransferableValue[],
  getStatements: () => ProcedureStatements,
) => Promise<readonly TransferableValue[]>;

/** The values of a row, or of the placeholders of a statement. */
export type SqlValues = readonly SQLInputValue[];

/** A value that threads can exchange cheaply: a SQLite value, or an array of such values or arrays. */
export type TransferableValue = SQLInputValue | readonly TransferableValue[];

/** The exports of a procedure's module, which the SQLite thread loads. */
export interface ProcedureModule {
  /** Returns the procedure. `prepare` compiles a statement once; a select returns its rows as arrays. */
  createProcedure(
    statements: ProcedureStatements,
    prepare: (sql: string) => StatementSync,
  ): (input: TransferableValue) => TransferableValue;
}
