import type { ClientBase } from "pg";
import type { Backend } from "./lost-backend.ts";

/**
 * The settings of a session. By default, PostgreSQL does not notice that a client has lost its network, and keeps the
 * connection for hours; after enough such losses, no client can connect any more. The pool closes idle connections
 * after 10 seconds, and a listener pings twice a second, so neither reaches `idle_session_timeout`.
 */
const SESSION_SETTINGS = {
  idle_session_timeout: "30s",
  // For a client machine that vanishes while a statement runs: the idle timeout does not apply then.
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "4",
} as const;

const SET_CONFIG_SQL = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ");

/** Reads the backend's process id from the database, because a pooler in between reports its own ids. */
const BEGIN_SESSION_SQL = `select ${SET_CONFIG_SQL}, pid, extract(epoch from backend_start)::text as started_at
  from pg_stat_activity where pid = pg_backend_pid()`;

/**
 * Makes PostgreSQL end this connection once its client is gone. Must be the first statement on the connection. Resolves
 * with the backend that serves it; null if that is unknown.
 */
export async function beginSession(client: Pick<ClientBase, "query">): Promise<Backend | null> {
  try {
    const { rows } = await client.query<{ pid: number; started_at: string }>(BEGIN_SESSION_SQL);
    const [row] = rows;
    return row === undefined ? null : { pid: row.pid, startedAt: row.started_at };
  } catch {
    // If the database has just been lost, the next statement fails too. A server that refuses these settings works
    // without them.
    return null;
  }
}
