/**
 * The thread that owns the SQLite connection. Every statement runs here, so that waiting for the disk never blocks the
 * event loop that accepts connections.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { RecentMap } from "#concurrency/recent-map.ts";
import { foldCase } from "./fold-case.ts";
import { commit, CommitInDoubtError, commitTogether } from "./sqlite-commit.ts";
import type {
  SqliteFailure,
  Replies,
  Reply,
  Request,
  Requests,
  Statement,
  StatementResult,
} from "./sqlite-protocol.ts";

const STATEMENT_CACHE_MAX = 256;
/** Longest wait for another process's lock before an error: callers of a send time out after four seconds. */
const BUSY_TIMEOUT_MS = 1_000;

// Each thread contributes to Node's crash reports, and the environment holds secrets.
process.report.excludeEnv = true;

const { path } = workerData as { path: string }; // Set only by sqlite-thread.ts.
const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma temp_store = memory;
`);
database.function("fold_case", { deterministic: true }, (text) => foldCase(String(text)));

interface Prepared {
  readonly statement: StatementSync;
  /** Whether it returns rows. Asking the statement takes longer than running most of them. */
  readonly hasRows: boolean;
}

const statements = new RecentMap<string, Prepared>(STATEMENT_CACHE_MAX);

parentPort?.on("message", (requests: Requests) => {
  const all = [...requests, ...takePending()];
  let batch: BatchedRequest[] = [];
  for (const request of all) {
    if (isBatchable(request)) batch.push(request);
    else {
      answerBatch(batch);
      batch = [];
      reply([answer(request)]);
    }
  }
  answerBatch(batch);
  if (all.some(({ kind }) => kind === "close")) parentPort?.close();
});

/**
 * Takes the requests that arrived while the thread was busy. They share a commit, so that load makes commits larger
 * and not queues longer.
 */
function takePending(): readonly Request[] {
  const port = parentPort;
  if (port === null) return [];
  const take = () => receiveMessageOnPort(port);
  const waiting: Request[] = [];
  for (let next = take(); next !== undefined; next = take()) waiting.push(...next.message);
  return waiting;
}

/** A request that may share a commit with others. */
type BatchedRequest = Exclude<Request, { readonly kind: "close" }>;

/**
 * Returns whether a request may share a commit. Statements that open or end a transaction, or belong to an open one,
 * run by themselves.
 */
function isBatchable(request: Request): request is BatchedRequest {
  // A request after the close gets its own error.
  if (request.kind === "close" || !database.isOpen || database.isTransaction) return false;
  return request.kind === "atomic" || BATCHABLE_SQL.test(request.statement.sql);
}

const BATCHABLE_SQL = /^(?:select|insert|update|delete)\b/i;
const READ_SQL = /^select\b/i;

function isRead(request: BatchedRequest): boolean {
  return request.kind === "one" && READ_SQL.test(request.statement.sql);
}

/** Answers in the order of the requests. Reads before the first write do not wait until the write is on the disk. */
function answerBatch(requests: readonly BatchedRequest[]): void {
  const firstWrite = requests.findIndex((request) => !isRead(request));
  const leadingReads = firstWrite === -1 ? requests : requests.slice(0, firstWrite);
  reply(leadingReads.map(answer));
  const remaining = requests.slice(leadingReads.length);
  if (remaining.length === 0) return;
  const outcomes = commitTogether(
    database,
    remaining.map((request) => () => perform(request)),
  );
  reply(
    outcomes.map((outcome, index) => {
      const id = remaining[index]?.id ?? 0;
      return "value" in outcome
        ? { id, results: outcome.value }
        : { id, error: toFailure(outcome.error) };
    }),
  );
}

function reply(replies: Replies): void {
  if (replies.length > 0) parentPort?.postMessage(replies);
}

function answer(request: Request): Reply {
  try {
    return { id: request.id, results: perform(request) };
  } catch (error) {
    return { id: request.id, error: toFailure(error) };
  }
}

function perform(request: Request): readonly StatementResult[] {
  switch (request.kind) {
    case "one":
      return [request.statement.sql === "commit" ? runCommit() : run(request.statement)];
    case "atomic":
      return request.statements.map(run);
    case "close":
      statements.clear();
      database.close();
      return [];
  }
}

function runCommit(): StatementResult {
  commit(database);
  return { rows: [], changes: 0 };
}

function run({ sql, parameters }: Statement): StatementResult {
  const { statement, hasRows } = prepare(sql);
  if (hasRows) return { rows: statement.all(...parameters), changes: 0 };
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

/** Returns a compiled statement from the cache, or compiles it. */
function prepare(sql: string): Prepared {
  const cached = statements.get(sql);
  if (cached !== undefined) return cached;
  const statement = database.prepare(sql);
  const compiled = { statement, hasRows: statement.columns().length > 0 };
  statements.set(sql, compiled);
  return compiled;
}

function toFailure(error: unknown): SqliteFailure {
  const isInDoubt = error instanceof CommitInDoubtError;
  const cause = isInDoubt ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const errcode = cause instanceof Error && "errcode" in cause ? Number(cause.errcode) : null;
  return { message, errcode, isInDoubt };
}
