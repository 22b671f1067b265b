/**
 * The thread that owns the SQLite connection: every statement runs here, so that waiting for the disk never blocks the
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
/** Longest wait for another process's lock before an error: callers of a send give up after four seconds. */
const BUSY_TIMEOUT_MS = 1_000;

// Each thread contributes to the crash reports that Node writes; the environment holds secrets.
process.report.excludeEnv = true;

const { path } = workerData as { path: string }; // Set by sqlite-thread.ts alone.
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
  /** Whether it returns rows; asking the statement takes longer than running most of them. */
  readonly hasRows: boolean;
}

const statements = new RecentMap<string, Prepared>(STATEMENT_CACHE_MAX);

parentPort?.on("message", (requests: Requests) => {
  const all = [...requests, ...takeWaiting()];
  let together: Piece[] = [];
  for (const request of all) {
    if (isPiece(request)) together.push(request);
    else {
      answerTogether(together);
      together = [];
      reply([answer(request)]);
    }
  }
  answerTogether(together);
  if (all.some(({ kind }) => kind === "close")) parentPort?.close();
});

/**
 * Takes the requests that arrived while the thread was busy: they share a commit, so load makes commits larger, not
 * queues longer.
 */
function takeWaiting(): readonly Request[] {
  const port = parentPort;
  if (port === null) return [];
  const take = () => receiveMessageOnPort(port);
  const taken: Request[] = [];
  for (let next = take(); next !== undefined; next = take()) taken.push(...next.message);
  return taken;
}

/** A request that may share a commit with others. */
type Piece = Exclude<Request, { readonly kind: "close" }>;

/** Statements that open or end a transaction, or belong to an open one, run by themselves. */
function isPiece(request: Request): request is Piece {
  // A request after the close gets an error of its own.
  if (request.kind === "close" || !database.isOpen || database.isTransaction) return false;
  return request.kind === "atomic" || SHARING.test(request.statement.sql);
}

const SHARING = /^(?:select|insert|update|delete)\b/i;
const READING = /^select\b/i;

function isReading(piece: Piece): boolean {
  return piece.kind === "one" && READING.test(piece.statement.sql);
}

/** Answers in the order of the requests. Reads before the first write do not wait until it is on the disk. */
function answerTogether(pieces: readonly Piece[]): void {
  const firstWrite = pieces.findIndex((piece) => !isReading(piece));
  const early = firstWrite === -1 ? pieces : pieces.slice(0, firstWrite);
  reply(early.map(answer));
  const rest = pieces.slice(early.length);
  if (rest.length === 0) return;
  const outcomes = commitTogether(
    database,
    rest.map((piece) => () => perform(piece)),
  );
  reply(
    outcomes.map((outcome, index) => {
      const id = rest[index]?.id ?? 0;
      return "value" in outcome
        ? { id, results: outcome.value }
        : { id, error: describe(outcome.error) };
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
    return { id: request.id, error: describe(error) };
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
  const { statement, hasRows } = prepared(sql);
  if (hasRows) return { rows: statement.all(...parameters), changes: 0 };
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

/** Returns a statement that is compiled already, or compiles it. */
function prepared(sql: string): Prepared {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const statement = database.prepare(sql);
  const compiled = { statement, hasRows: statement.columns().length > 0 };
  statements.set(sql, compiled);
  return compiled;
}

function describe(error: unknown): SqliteFailure {
  const isInDoubt = error instanceof CommitInDoubtError;
  const cause = isInDoubt ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const errcode = cause instanceof Error && "errcode" in cause ? Number(cause.errcode) : null;
  return { message, errcode, isInDoubt };
}
