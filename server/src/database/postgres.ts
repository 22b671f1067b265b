import { Kysely, PostgresDialect, sql, type CompiledQuery, type QueryResult } from "kysely";
import {
  Pool,
  types,
  type Client,
  type ClientBase,
  type PoolConfig,
  type QueryResult as PgResult,
} from "pg";
import { ByteOrderPlugin } from "./byte-order-plugin.ts";
import { Connections } from "./connections.ts";
import type { Database } from "./database.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { readAfterLoss, type Backend } from "./lost-backend.ts";
import { isConnectionError, isConflict, isUnresponsive, POSTGRES } from "./postgres-engine.ts";
import { beginSession } from "./postgres-session.ts";
import type { Schema } from "./schema.ts";
import { ReadBatcher } from "./read-batcher.ts";
import { StatementNames } from "./statement-names.ts";
import { TransactionLimit } from "./transaction-limit.ts";
import { Writability } from "./writability.ts";

/** The URL of a PostgreSQL database, and the limits of its connections. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?…`, as libpq reads it. */
  readonly url: string;
  /** Maximum number of open connections. */
  readonly connectionsMax?: number;
  /**
   * Timeout of one statement; longer for long statements. The short default prevents requests from hanging on a
   * database that is gone.
   */
  readonly timeoutMs?: number;
  /** Called when an idle connection fails. */
  readonly onIdleError?: (error: Error) => void;
}

const CONNECTIONS_MAX = 10;
/**
 * Share of the connections for transactions. Transactions may wait for each other's locks, and without a limit all
 * other queries would wait as well.
 */
const TRANSACTIONS_SHARE = 0.4;
/** Longest wait of a queued transaction. Once the database is lost, queued transactions fail immediately. */
const QUEUE_WAIT_MAX_MS = 10_000;
/**
 * Timeout of connecting. Together with the timeout of the response it is below the four seconds that a request may
 * take.
 */
const CONNECT_TIMEOUT_MS = 1_750;
const RESPONSE_TIMEOUT_MS = 2_000;
/** Longest pause within a transaction, for example of a frozen process, before the transaction loses its locks. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/**
 * The maximum number of attempts of a transaction with conflicts. The database ends one of two transactions that wait
 * for each other, and the ended transaction runs again.
 */
const CONFLICT_ATTEMPTS_MAX = 3;

/** Opens a PostgreSQL database. Connects when the database is first used. */
export function openPostgres(options: PostgresOptions): Database {
  const { connectionsMax = CONNECTIONS_MAX } = options;
  const pool = new Pool(createPoolConfig(options));
  const connections = new Connections(pool);
  const onLost = () => writability.invalidate();
  const backends: BackendsByClient = new WeakMap();
  // Without a handler, an error of an idle connection would end the process.
  pool.on("error", (error) => {
    onLost();
    options.onIdleError?.(error);
  });
  // An error of a connection in use would do the same. Its statements fail with the error as well.
  pool.on("connect", (client) => {
    client.on("error", onLost);
    backends.set(client, beginSession(client));
  });
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: connections }),
    plugins: [new ByteOrderPlugin()],
    log: (event) => {
      if (event.level === "error" && isUnresponsive(event.error)) connections.discardExisting();
    },
  });
  const transactionLimit = new TransactionLimit({
    limit: Math.ceil(connectionsMax * TRANSACTIONS_SHARE),
    waitMaxMs: QUEUE_WAIT_MAX_MS,
    affectsAll: isConnectionError,
  });
  const statementNames = new StatementNames();
  const runTogether = (queries: readonly CompiledQuery[]) =>
    retryConflicts(() =>
      sendTogether({ connections, statementNames, backends, onLost, url: options.url }, queries),
    );
  const readBatcher = new ReadBatcher(runTogether);
  const writability = new Writability({
    probe: async () => void (await runTogether(PROBE_QUERIES.map((query) => query.compile(db)))),
    isUnavailable: POSTGRES.isUnavailable,
    elapsed: () => performance.now(),
  });
  let closing: Promise<void> | null = null;
  return {
    db,
    engine: POSTGRES,
    atomically: (queries) =>
      writability.track(runTogether(queries.map((query) => query.compile()))),
    defineProcedure: null,
    read: (query) => readBatcher.read(query.compile()),
    transaction: (run) =>
      writability.track(
        transactionLimit.use(() => retryConflicts(() => db.transaction().execute(run))),
      ),
    isWritable: () => writability.isWritable(),
    close: () => (closing ??= pool.end()),
  };
}

function createPoolConfig({ url, connectionsMax = CONNECTIONS_MAX, timeoutMs }: PostgresOptions) {
  const config: PoolConfig = {
    connectionString: url,
    application_name: "tocsin",
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: timeoutMs ?? RESPONSE_TIMEOUT_MS,
    statement_timeout: timeoutMs ?? RESPONSE_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
  };
  return config;
}

/** The types that are parsed as numbers: a sum of bigints is numeric, and all values are far below 2^53. */
const NUMBER_TYPES: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

const getTypeParser: typeof types.getTypeParser = (oid, format) =>
  NUMBER_TYPES.has(oid) ? Number : types.getTypeParser(oid, format);

/**
 * Begins a transaction without full scans: statements on hot paths find their rows by key, and a cached plan must not
 * date from a time when the table was so small that a full scan was cheaper.
 */
const BEGIN_SQL = "begin; set local enable_seqscan = off; set local jit = off";

/**
 * Queries that use as much disk space as a few commits, by a sort with too little memory, and write to the log. They
 * leave nothing behind, not even a dead row. A read-only server refuses the deletion, although it matches no row.
 */
const PROBE_QUERIES = [
  sql`delete from setup_token where false`,
  sql`set local work_mem = '64kB'`,
  sql`select count(*) from (
    select repeat('x', 100) || n as line from generate_series(1, 3000) as n order by line offset 0) as sorted`,
  sql`select pg_logical_emit_message(true, 'tocsin', '')`,
];

/** The backend of each client; null if it is unknown. */
type BackendsByClient = WeakMap<ClientBase, Promise<Backend | null>>;

/** The connections, and what is known about each of them. */
interface StatementSendDeps {
  readonly url: string;
  readonly connections: Connections;
  readonly statementNames: StatementNames;
  readonly backends: BackendsByClient;
  /** Called whenever a connection is lost during use. */
  readonly onLost: () => void;
}

/** Sends all statements together, in one round trip for any number of queries. */
async function sendTogether(
  deps: StatementSendDeps,
  queries: readonly CompiledQuery[],
): Promise<readonly QueryResult<unknown>[]> {
  const { connections, statementNames } = deps;
  for (const { parameters } of queries) assertSendable(parameters);
  const client = await connections.connect();
  const [beginResult, ...results] = await writeInOneChunk(client, () =>
    Promise.allSettled([
      client.query(BEGIN_SQL),
      ...queries.map(({ sql: text, parameters }) => {
        const name = statementNames.getName(text);
        return client.query<object>({ text, values: [...parameters], ...(name && { name }) });
      }),
      client.query("commit"),
    ]),
  );
  // The first failure is the reason. The others only say that the transaction was already aborted.
  const failedResult = [beginResult, ...results].find((result) => result.status === "rejected");
  const isLost = failedResult !== undefined && isConnectionError(failedResult.reason);
  client.release(isLost);
  if (isLost) deps.onLost();
  if (isUnresponsive(failedResult?.reason)) connections.discardExisting();
  // The commit was sent and may still arrive at any time.
  if (isLost) throw toInDoubtError(deps, client, failedResult.reason);
  if (failedResult !== undefined) throw failedResult.reason;
  return results.slice(0, -1).flatMap((result) => toQueryResults(result));
}

function toInDoubtError(
  { url, backends }: StatementSendDeps,
  client: ClientBase,
  cause: unknown,
): InDoubtError {
  return new InDoubtError(cause, async (queries) => {
    const backend = await backends.get(client);
    if (backend === undefined || backend === null)
      throw new Error("The backend that served the lost connection is unknown.");
    const compiled = queries.map((query) => query.compile());
    return readAfterLoss({ url, backend }, compiled);
  });
}

/** Sends everything that `write` writes in one chunk: a write to a socket takes longer than preparing a query. */
function writeInOneChunk<T>({ connection: { stream } }: Client, write: () => T): T {
  stream.cork();
  try {
    return write();
  } finally {
    stream.uncork();
  }
}

function toQueryResults(
  result: PromiseSettledResult<PgResult<object>>,
): readonly QueryResult<unknown>[] {
  if (result.status === "rejected") return [];
  const { rows, rowCount } = result.value;
  return [{ rows, numAffectedRows: BigInt(rowCount ?? 0) }];
}

/**
 * Throws for a parameter that the client cannot send. Without the check, the client would leave its statement out of a
 * transaction that commits nevertheless, because the following statements are already sent.
 */
function assertSendable(parameters: readonly unknown[]): void {
  for (const value of parameters) {
    if (value === null || SENDABLE_TYPES.has(typeof value)) continue;
    throw new TypeError(`A statement cannot take a ${typeof value}.`);
  }
}

const SENDABLE_TYPES: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

/** Repeats a run after a conflict with another transaction. Nothing of the failed run was stored. */
async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let conflicts = 1; ; conflicts += 1) {
    try {
      return await run();
    } catch (error) {
      if (conflicts >= CONFLICT_ATTEMPTS_MAX || !isConflict(error)) throw error;
    }
  }
}
