import type { CompiledQuery, QueryResult } from "kysely";
import { Client, type ClientBase, type QueryResult as PgResult } from "pg";

/** A process of PostgreSQL that serves one connection. A later process may get the same process id. */
export interface Backend {
  readonly pid: number;
  /** Seconds since the epoch, in the database's notation. */
  readonly startedAt: string;
}

/** Timeout of connecting. It is short, because the network may be back for the next attempt. */
const CONNECT_TIMEOUT_MS = 1_000;
const RESPONSE_TIMEOUT_MS = 1_000;
/** Longest wait for the end of a backend. A backend ends immediately, unless it waits for the disk or a standby. */
const TERMINATION_TIMEOUT_MS = 300;

const MATCHES_BACKEND_SQL = "pid = $1 and extract(epoch from backend_start)::text = $2";

/**
 * Settles the outcome of a commit whose response was lost, and then reads. Opens a new connection, because existing
 * connections may be as dead as the lost one.
 *
 * 1. The backend is terminated, and verified to be gone. The network can then deliver nothing more to the backend. A
 *    read could not prove that: a stalled commit is executed whenever it arrives, even if its client has disconnected.
 * 2. Every later statement sees the backend's commits, so a row that is missing now will never be stored.
 * 3. The read commits something itself. The read therefore returns only once the disk, and the standby if commits wait
 *    for one, have stored everything that the read saw: a backend that is terminated while it waits for the standby
 *    leaves rows that only this machine has. A read-only server, such as a former primary, cannot answer at all.
 */
export async function readAfterLoss(
  { url, backend }: { readonly url: string; readonly backend: Backend },
  queries: readonly CompiledQuery[],
): Promise<readonly QueryResult<unknown>[]> {
  const client = new Client({
    connectionString: url,
    application_name: "tocsin",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: RESPONSE_TIMEOUT_MS,
    statement_timeout: RESPONSE_TIMEOUT_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await terminateBackend(client, backend);
    return await readDurably(client, queries);
  } finally {
    // A server that is gone does not answer the termination message.
    void client.end().catch(() => {});
    client.connection.stream.destroy();
  }
}

async function terminateBackend(client: ClientBase, { pid, startedAt }: Backend): Promise<void> {
  const backendKey = [pid, startedAt];
  const terminate = `select pg_terminate_backend(pid, ${TERMINATION_TIMEOUT_MS}) from pg_stat_activity where ${MATCHES_BACKEND_SQL}`;
  await client.query(terminate, backendKey);
  const remainingBackends = await client.query(
    `select 1 from pg_stat_activity where ${MATCHES_BACKEND_SQL}`,
    backendKey,
  );
  if (remainingBackends.rows.length > 0)
    throw new Error("A terminated backend of the database still runs.");
}

async function readDurably(
  client: ClientBase,
  queries: readonly CompiledQuery[],
): Promise<readonly QueryResult<unknown>[]> {
  const results: PgResult<object>[] = [];
  await client.query("begin");
  await client.query("select pg_logical_emit_message(true, 'tocsin', '')");
  for (const { sql: text, parameters } of queries) {
    results.push(await client.query<object>(text, [...parameters]));
  }
  await client.query("commit");
  return results.map(({ rows }) => ({ rows }));
}
