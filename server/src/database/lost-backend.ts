import type { CompiledQuery, QueryResult } from "kysely";
import { Client, type ClientBase, type QueryResult as PgResult } from "pg";

/** One process of PostgreSQL, which serves one connection; the number alone may be given again to a later one. */
export interface Backend {
  readonly pid: number;
  /** Seconds since the epoch, as the database writes them. */
  readonly startedAt: string;
}

/** One try takes little, as the next may find a network that is back. */
const CONNECT_TIMEOUT_MS = 1_000;
const ANSWER_TIMEOUT_MS = 1_000;
/** A backend ends at once, unless it waits for the disk or a standby. */
const END_WAIT_MS = 300;

const IS_THIS_ONE = "pid = $1 and extract(epoch from backend_start)::text = $2";

/**
 * Makes certain what became of a commit whose answer was lost, and reads it, on a connection of its own: those of before may
 * be as dead as the one that is asked about.
 *
 * 1. The backend is ended, and is seen to be gone. What the network still holds for it, it will deliver to nobody: no look alone
 *    could say so, as a commit that stood still on its way is carried out whenever it arrives, whoever has hung up meanwhile.
 * 2. What it committed is seen by every later statement, so what is not found now is never stored.
 * 3. The look itself commits something. So it answers once the disk, and the standby where one is waited for, have all that it
 *    saw: a backend that is ended while it waits for the standby leaves behind what only this machine has. And a
 *    server that takes no writes, as one that was primary before, cannot answer at all.
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
    // Whoever is not there takes no goodbye.
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
