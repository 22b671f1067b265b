/**
 * The thread that owns the SQLite connection. Every statement runs here, so that waiting for the disk never blocks the
 * event loop that accepts connections.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { RecentMap } from "#concurrency/recent-map.ts";
import { foldCase } from "./fold-case.ts";
import type { TransferableValue, ProcedureModule } from "./sqlite-procedure.ts";
import { commit, CommitInDoubtError, commitTogether } from "./sqlite-commit.ts";
import type {
  SqliteFailure,
  ThreadOptions,
  ThreadReplies,
  ThreadResult,
  ThreadReply,
  ThreadRequest,
  ThreadRequests,
  ProcedureCall,
  Statement,
  StatementResult,
} from "./sqlite-protocol.ts";

const STATEMENT_CACHE_MAX = 256;

// Each thread contributes to Node's crash reports, and the environment holds secrets.
process.report.excludeEnv = true;

const { path, busyTimeoutMs } = workerData as ThreadOptions; // Only sqlite-thread.ts starts this thread.
const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma temp_store = memory;
`);
database.function("fold_case", { deterministic: true }, (text) => foldCase(String(text)));

/** A compiled statement in the cache. */
interface PreparedStatement {
  readonly statement: StatementSync;
  /** True if the statement returns rows. Finding that out takes longer than running most statements. */
  readonly hasRows: boolean;
}

const preparedStatements = new RecentMap<string, PreparedStatement>(STATEMENT_CACHE_MAX);

parentPort?.on("message", (requests: ThreadRequests) => {
  const allRequests = [...requests, ...takePending()];
  let batch: BatchedRequest[] = [];
  for (const request of allRequests) {
    if (isBatchable(request)) batch.push(request);
    else {
      handleBatch(batch);
      batch = [];
      postReplies([handleRequest(request)]);
    }
  }
  handleBatch(batch);
  if (allRequests.some(({ kind }) => kind === "close")) parentPort?.close();
});

/**
 * Takes the requests that arrived while the thread was busy. They share a commit: under load, commits grow instead of
 * queues.
 */
function takePending(): readonly ThreadRequest[] {
  const port = parentPort;
  if (port === null) return [];
  const take = () => receiveMessageOnPort(port);
  const pending: ThreadRequest[] = [];
  for (let received = take(); received !== undefined; received = take())
    pending.push(...received.message);
  return pending;
}

/** A request that may share a commit with others. */
type BatchedRequest = Exclude<ThreadRequest, { readonly kind: "close" | "load" }>;

/**
 * Returns whether a request may share a commit. Statements that open or end a transaction, or belong to an open one,
 * run by themselves.
 */
function isBatchable(request: ThreadRequest): request is BatchedRequest {
  if (request.kind === "close" || request.kind === "load") return false;
  // A request after the close gets its own error.
  if (!database.isOpen || database.isTransaction) return false;
  return request.kind !== "statement" || BATCHABLE_SQL_PATTERN.test(request.statement.sql);
}

const BATCHABLE_SQL_PATTERN = /^(?:select|insert|update|delete)\b/i;
const READ_SQL_PATTERN = /^select\b/i;

function isRead(request: BatchedRequest): boolean {
  return request.kind === "statement" && READ_SQL_PATTERN.test(request.statement.sql);
}

/** Executes requests in order and posts the replies. Reads before the first write do not wait for its commit. */
function handleBatch(requests: readonly BatchedRequest[]): void {
  const firstWrite = requests.findIndex((request) => !isRead(request));
  const leadingReads = firstWrite === -1 ? requests : requests.slice(0, firstWrite);
  postReplies(leadingReads.map(handleRequest));
  const remaining = requests.slice(leadingReads.length);
  if (remaining.length === 0) return;
  const results = commitTogether(
    database,
    remaining.map((request) => () => executeRequest(request)),
  );
  postReplies(
    results.map((result, index) => {
      const id = remaining[index]?.id ?? 0;
      return "value" in result ? { id, ...result.value } : { id, error: toFailure(result.error) };
    }),
  );
}

function postReplies(replies: ThreadReplies): void {
  if (replies.length > 0) parentPort?.postMessage(replies);
}

/** Executes one request by itself, and returns the reply. */
function handleRequest(request: ThreadRequest): ThreadReply {
  try {
    return { id: request.id, ...executeRequest(request) };
  } catch (error) {
    return { id: request.id, error: toFailure(error) };
  }
}

function executeRequest(request: ThreadRequest): ThreadResult {
  switch (request.kind) {
    case "statement":
      return {
        results: [
          request.statement.sql === "commit" ? runCommit() : executeStatement(request.statement),
        ],
      };
    case "transaction":
      return { results: request.statements.map(executeStatement) };
    case "call":
      return { outputs: request.inputs.map(getProcedure(request)) };
    case "load":
      loadProcedureModule(request.module);
      return { results: [] };
    case "close":
      preparedStatements.clear();
      procedures.clear();
      procedureStatements.clear();
      database.close();
      return { results: [] };
  }
}

const require = createRequire(import.meta.url);
/** The procedures by the number of their calls. */
const procedures = new Map<number, (input: TransferableValue) => TransferableValue>();

/** Returns the procedure of a call. The first call creates it. */
function getProcedure({
  procedureNumber,
  definition,
}: ProcedureCall): (input: TransferableValue) => TransferableValue {
  const existing = procedures.get(procedureNumber);
  if (existing !== undefined) return existing;
  if (definition === undefined) throw new Error(`The thread has no procedure ${procedureNumber}.`);
  const module = loadProcedureModule(definition.module);
  const created = module.createProcedure(definition.statements, prepareForProcedure);
  procedures.set(procedureNumber, created);
  return created;
}

function loadProcedureModule(module: string): ProcedureModule {
  // Callers pass only procedure modules to `defineProcedure`.
  return require(fileURLToPath(module)) as ProcedureModule;
}

/** The statements of procedures by their SQL. Their rows are arrays. */
const procedureStatements = new RecentMap<string, StatementSync>(STATEMENT_CACHE_MAX);

function prepareForProcedure(sql: string): StatementSync {
  const cached = procedureStatements.get(sql);
  if (cached !== undefined) return cached;
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  procedureStatements.set(sql, statement);
  return statement;
}

function runCommit(): StatementResult {
  commit(database);
  return { rows: [], changes: 0 };
}

function executeStatement({ sql, parameters }: Statement): StatementResult {
  const { statement, hasRows } = prepareStatement(sql);
  if (hasRows) return { rows: statement.all(...parameters), changes: 0 };
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

/** Returns a compiled statement from the cache, or compiles it. */
function prepareStatement(sql: string): PreparedStatement {
  const cached = preparedStatements.get(sql);
  if (cached !== undefined) return cached;
  const statement = database.prepare(sql);
  const prepared = { statement, hasRows: statement.columns().length > 0 };
  preparedStatements.set(sql, prepared);
  return prepared;
}

function toFailure(error: unknown): SqliteFailure {
  const isInDoubt = error instanceof CommitInDoubtError;
  const cause = isInDoubt ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const errcode = cause instanceof Error && "errcode" in cause ? Number(cause.errcode) : null;
  return { message, errcode, isInDoubt };
}
