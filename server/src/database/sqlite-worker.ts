/**
 * The thread that owns the SQLite connection: every statement runs here, so that waiting for the disk
 * never stops the event loop that accepts connections.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { foldCase } from "./fold-case.ts";
import type { Request, Requests, Reply, Statement, StatementResult } from "./sqlite-protocol.ts";

const STATEMENT_CACHE_MAX = 256;
/** Whoever waits longer for another process is told so: callers of a send give up after four seconds. */
const BUSY_TIMEOUT_MS = 1_000;

const { path } = workerData as { path: string }; // Set by sqlite-thread.ts alone.
const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma temp_store = memory;
`);
database.function("fold_case", { deterministic: true }, (text) => foldCase(String(text)));
const statements = new Map<string, StatementSync>();

parentPort?.on("message", (requests: Requests) => {
  let replies: Reply[] = [];
  for (const request of requests) {
    // What was only read does not wait until others' writing is on the disk.
    if (request.kind === "atomic" && replies.length > 0) {
      parentPort?.postMessage(replies);
      replies = [];
    }
    replies.push(answer(request));
  }
  parentPort?.postMessage(replies);
  if (requests.some(({ kind }) => kind === "close")) parentPort?.close();
});

function answer(request: Request): Reply {
  try {
    return { id: request.id, results: perform(request) };
  } catch (error) {
    return { id: request.id, error: describe(error) };
  }
}

function perform(request: Request): readonly StatementResult[] {
  switch (request.kind) {
    case "one":
      return [run(request.statement)];
    case "atomic":
      return atomically(request.statements);
    case "close":
      statements.clear();
      database.close();
      return [];
  }
}

function atomically(batch: readonly Statement[]): readonly StatementResult[] {
  database.exec("begin immediate");
  try {
    const results = batch.map(run);
    database.exec("commit");
    return results;
  } catch (error) {
    // A full disk may have rolled back already.
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

function run({ sql, parameters }: Statement): StatementResult {
  const statement = prepared(sql);
  if (statement.columns().length > 0) {
    return { rows: statement.all(...parameters), changes: 0 };
  }
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

/** Keeps the statements used last: a Map remembers the order in which its keys were set. */
function prepared(sql: string): StatementSync {
  const known = statements.get(sql);
  const statement = known ?? database.prepare(sql);
  if (known !== undefined) statements.delete(sql);
  statements.set(sql, statement);
  if (statements.size > STATEMENT_CACHE_MAX) {
    const [oldest] = statements.keys();
    if (oldest !== undefined) statements.delete(oldest);
  }
  return statement;
}

function describe(error: unknown): { message: string; errcode: number | null } {
  const message = error instanceof Error ? error.message : String(error);
  const errcode = error instanceof Error && "errcode" in error ? Number(error.errcode) : null;
  return { message, errcode };
}
