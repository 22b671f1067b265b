import type { CompiledQuery, QueryResult } from "kysely";
import { Client, type ClientBase, type QueryResult as PgResult } from "pg";

/** One process of PostgreSQL, which serves one connection; a later one may get the same number. */
export interface Backend {
  readonly pid: number;
  /** Seconds since the epoch, in the database's own notation. */
  readonly startedAt: string;
}

/** Timeout of connecting; short, as the next try may find the network back. */
const CONNECT_TIMEOUT_MS = 1_000;
const ANSWER_TIMEOUT_MS = 1_000;
/** Wait for a backend to end: it ends at once, unless it waits for the disk or a standby. */
const END_WAIT_MS = 300;

const IS_THIS_ONE = "pid = $1 and extract(epoch from backend_start)::text = $2";

/**
 * Makes certain what became of a commit whose answer was lost, and then reads, on a connection of its own: existing
 * ones may be as dead as the one in doubt.
 *
 * 1. The backend is ended, and is seen to be gone. The network can then deliver nothing to it any more. A read alone
 *    could not prove that: a commit that stalled on its way is executed whenever it arrives, even if its client has
 *    hung up meanwhile.
 * 2. Every later statement sees what the backend committed, so what is not found now is never stored.
 * 3. The read itself commits something. So it answers once the disk, and the standby if one is waited for, have all
 *    that it saw: a backend that is ended while it waits for the standby leaves behind what only this machine has. A
 *    server that takes no writes, such as a former primary, cannot answer at all.
 */
export async function lookAfter(
  { url, backend }: { readonly url: string; readonly backend: Backend },
  queries: readonly CompiledQuery[],
): Promise<readonly QueryResult<unknown>[]> {
  const client = new Client({
    connectionString: url,
    application_name: "tocsin",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    statement_timeout: ANSWER_TIMEOUT_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await end(client, backend);
    return await readDurably(client, queries);
  } finally {
    // A server that is gone answers no goodbye.
    void client.end().catch(() => {});
    client.connection.stream.destroy();
  }
}

async function end(client: ClientBase, { pid, startedAt }: Backend): Promise<void> {
  const which = [pid, startedAt];
  const name = `select pg_terminate_backend(pid, ${END_WAIT_MS}) from pg_stat_activity where ${IS_THIS_ONE}`;
  await client.query(name, which);
  const left = await client.query(`select 1 from pg_stat_activity where ${IS_THIS_ONE}`, which);
  if (left.rows.length > 0) throw new Error("A backend of the database does not end yet.");
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
