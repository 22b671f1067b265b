import { Kysely, PostgresDialect, sql, type CompiledQuery, type QueryResult } from "kysely";
import {
  Pool,
  types,
  type Client,
  type ClientBase,
  type PoolConfig,
  type QueryResult as PgResult,
} from "pg";
import { ByteOrder } from "./byte-order.ts";
import { Connections } from "./connections.ts";
import type { Database } from "./database.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { lookAfter, type Backend } from "./lost-backend.ts";
import { isBroken, isConflict, isSilent, POSTGRES } from "./postgres-engine.ts";
import { endWhenAbandoned } from "./postgres-session.ts";
import type { Schema } from "./schema.ts";
import { ReadsTogether } from "./reads-together.ts";
import { StatementNames } from "./statement-names.ts";
import { TransactionLimit } from "./transaction-limit.ts";
import { Writability } from "./writability.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?…`, as libpq reads it. */
  readonly url: string;
  /** Most connections kept. */
  readonly connectionsMax?: number;
  /**
   * Timeout of one statement for long work, in milliseconds; the default keeps requests from hanging on a vanished
   * database.
   */
  readonly patienceMs?: number;
  /** Called when an idle connection fails. */
  readonly onIdleError?: (error: Error) => void;
}

const CONNECTIONS_MAX = 10;
/** Share of the connections that transactions get: they may wait for each other's locks, and all else would wait as well. */
const TRANSACTIONS_SHARE = 0.4;
/** Longest wait of a transaction in line; once the database is lost, those in line fail at once. */
const LINE_MAX_MS = 10_000;
/** Timeout of connecting: with that of the answer below the four seconds that a request may take. */
const CONNECT_TIMEOUT_MS = 1_750;
const ANSWER_TIMEOUT_MS = 2_000;
/** Longest pause within a transaction, as after a freeze, before it loses its locks. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Tries of a transaction that conflicts: the database ends one of two that wait for each other, and it runs again. */
const CONFLICTS_MAX = 3;

/** Opens a PostgreSQL database; connects when first needed. */
export function openPostgres(options: PostgresOptions): Database {
  const { connectionsMax = CONNECTIONS_MAX } = options;
  const pool = new Pool(poolConfig(options));
  const connections = new Connections(pool);
  const onLost = () => writability.doubt();
  const backends: Backends = new WeakMap();
  // Without a handler, the error of an idle connection would end the process.
  pool.on("error", (error) => {
    onLost();
    options.onIdleError?.(error);
  });
  // The error of a connection in use would do the same; its statements fail with it as well.
  pool.on("connect", (client) => {
    client.on("error", onLost);
    backends.set(client, endWhenAbandoned(client));
  });
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: connections }),
    plugins: [new ByteOrder()],
    log: (event) => {
      if (event.level === "error" && isSilent(event.error)) connections.doubt();
    },
  });
  const limit = new TransactionLimit({
    limit: Math.ceil(connectionsMax * TRANSACTIONS_SHARE),
    waitMaxMs: LINE_MAX_MS,
    isForAll: isBroken,
  });
  const names = new StatementNames();
  const together = (queries: readonly CompiledQuery[]) =>
    again(() => sendAtOnce({ connections, names, backends, onLost, url: options.url }, queries));
  const reads = new ReadsTogether(together);
  const writability = new Writability({
    probe: async () => void (await together(PROBE.map((query) => query.compile(db)))),
    isUnavailable: POSTGRES.isUnavailable,
    elapsed: () => performance.now(),
  });
  let closed: Promise<void> | null = null;
  return {
    db,
    engine: POSTGRES,
    atomically: (queries) => writability.watch(together(queries.map((query) => query.compile()))),
    read: (query) => reads.ask(query.compile()),
    transaction: (run) =>
      writability.watch(limit.use(() => again(() => db.transaction().execute(run)))),
    isWritable: () => writability.isGiven(),
    close: () => (closed ??= pool.end()),
  };
}

function poolConfig({ url, connectionsMax = CONNECTIONS_MAX, patienceMs }: PostgresOptions) {
  const config: PoolConfig = {
    connectionString: url,
    application_name: "tocsin",
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: patienceMs ?? ANSWER_TIMEOUT_MS,
    statement_timeout: patienceMs ?? ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
  };
  return config;
}

/** Types that become numbers: a sum of bigints is numeric, and ours stay far below 2^53. */
const NUMBERS: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

const getTypeParser: typeof types.getTypeParser = (oid, format) =>
  NUMBERS.has(oid) ? Number : types.getTypeParser(oid, format);

/**
 * Statements on hot paths find their rows by key. A cached plan must not date from a time when the table was so small
 * that reading all of it was cheaper.
 */
const BEGIN = "begin; set local enable_seqscan = off; set local jit = off";

/**
 * Takes as much of the disk as a few commits, by a sort with too little memory, and writes to the log. It leaves
 * nothing behind, not even a dead row. A server that takes no writes refuses the deletion, though it finds no row.
 */
const PROBE = [
  sql`delete from setup_token where false`,
  sql`set local work_mem = '64kB'`,
  sql`select count(*) from (
    select repeat('x', 100) || n as line from generate_series(1, 3000) as n order by line offset 0) as sorted`,
  sql`select pg_logical_emit_message(true, 'tocsin', '')`,
];

/** The backend of each connection; null if unknown. */
type Backends = WeakMap<ClientBase, Promise<Backend | null>>;

interface StatementSendDeps {
  readonly url: string;
  readonly connections: Connections;
  readonly names: StatementNames;
  readonly backends: Backends;
  /** Called for every connection that is lost in use. */
  readonly onLost: () => void;
}

/** Sends all statements at once: one round trip, whatever the number of queries. */
async function sendAtOnce(
  parts: StatementSendDeps,
  queries: readonly CompiledQuery[],
): Promise<readonly QueryResult<unknown>[]> {
  const { connections, names } = parts;
  for (const { parameters } of queries) assertSendable(parameters);
  const client = await connections.connect();
  const [begun, ...answers] = await written(client, () =>
    Promise.allSettled([
      client.query(BEGIN),
      ...queries.map(({ sql: text, parameters }) => {
        const name = names.nameOf(text);
        return client.query<object>({ text, values: [...parameters], ...(name && { name }) });
      }),
      client.query("commit"),
    ]),
  );
  // The first failure is the reason; the others only say that the transaction was aborted already.
  const failed = [begun, ...answers].find((answer) => answer.status === "rejected");
  const isLost = failed !== undefined && isBroken(failed.reason);
  client.release(isLost);
  if (isLost) parts.onLost();
  if (isSilent(failed?.reason)) connections.doubt();
  // The commit is on its way, and may still arrive at any time.
  if (isLost) throw inDoubt(parts, client, failed.reason);
  if (failed !== undefined) throw failed.reason;
  return answers.slice(0, -1).flatMap((answer) => resultsOf(answer));
}

function inDoubt(
  { url, backends }: StatementSendDeps,
  client: ClientBase,
  cause: unknown,
): InDoubtError {
  return new InDoubtError(cause, async (queries) => {
    const backend = await backends.get(client);
    if (backend === undefined || backend === null)
      throw new Error("The database never told which of its backends served a connection.");
    const compiled = queries.map((query) => query.compile());
    return lookAfter({ url, backend }, compiled);
  });
}

/** Writes all queries in one piece: each write to a socket takes longer than preparing a query. */
function written<T>({ connection: { stream } }: Client, ask: () => T): T {
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}

function resultsOf(
  answer: PromiseSettledResult<PgResult<object>>,
): readonly QueryResult<unknown>[] {
  if (answer.status === "rejected") return [];
  const { rows, rowCount } = answer.value;
  return [{ rows, numAffectedRows: BigInt(rowCount ?? 0) }];
}

/**
 * Throws for a parameter that the client itself cannot send. Its statement would be left out of a transaction that
 * commits all the same: everything behind it is on its way already.
 */
function assertSendable(parameters: readonly unknown[]): void {
  for (const value of parameters) {
    if (value === null || SENDABLE.has(typeof value)) continue;
    throw new TypeError(`A statement cannot take a ${typeof value}.`);
  }
}

const SENDABLE: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

/** Runs again after a conflict with another transaction; nothing of the failed run was stored. */
async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let conflicts = 1; ; conflicts += 1) {
    try {
      return await run();
    } catch (error) {
      if (conflicts >= CONFLICTS_MAX || !isConflict(error)) throw error;
    }
  }
}
