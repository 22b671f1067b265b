import type { ClientBase } from "pg";
import type { Backend } from "./lost-backend.ts";

/**
 * A client that loses its network is not seen to hang up, and would occupy a connection for hours: after a few such
 * cuts no client could connect any more. Our pool closes idle connections after 10 seconds, and a listener pings twice
 * a second.
 */
const SETTINGS = {
  idle_session_timeout: "30s",
  // For statements whose answer is never taken, and for client machines that are gone.
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "4",
} as const;

const SET = Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ");

/** Reads the backend's number from the database, as a pooler in between reports numbers of its own. */
const BEGIN_SESSION = `select ${SET}, pid, extract(epoch from backend_start)::text as started_at
  from pg_stat_activity where pid = pg_backend_pid()`;

/**
 * Asks the database to end this connection once its client is gone; must be the first statement on it. Resolves with
 * the backend that serves it; null if that is unknown.
 */
export async function endWhenAbandoned(client: Pick<ClientBase, "query">): Promise<Backend | null> {
  try {
    const { rows } = await client.query<{ pid: number; started_at: string }>(BEGIN_SESSION);
    const [row] = rows;
    return row === undefined ? null : { pid: row.pid, startedAt: row.started_at };
  } catch {
    // If the database is lost right now, the next statement fails too; one that refuses this setting works without it.
    return null;
  }
}
