import type { ClientBase } from "pg";
import type { Backend } from "./lost-backend.ts";

/**
 * Whoever lost the way to the database is not heard to hang up, and would hold a connection of it for hours: after some such
 * cuts nobody could connect any more. Our pool closes what it does not use after 10 seconds, and a listener asks twice a second.
 */
const SETTINGS = {
  idle_session_timeout: "30s",
  // So of a statement whose answer nobody takes, and where the machine itself is gone.
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "4",
} as const;

const SET = Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ");

/** The database is asked, as a pooler in between gives numbers of its own. */
const BEGIN_SESSION = `select ${SET}, pid, extract(epoch from backend_start)::text as started_at
  from pg_stat_activity where pid = pg_backend_pid()`;

/**
 * Asks the database to end this connection once its other end is gone; must be the first that is asked on it. Returns which
 * backend serves it; null where that is not known.
 */
export async function endWhenAbandoned(client: Pick<ClientBase, "query">): Promise<Backend | null> {
  try {
    const { rows } = await client.query<{ pid: number; started_at: string }>(BEGIN_SESSION);
    const [row] = rows;
    return row === undefined ? null : { pid: row.pid, startedAt: row.started_at };
  } catch {
    // A database that is lost right now fails whatever else is asked of it; one that refuses this setting lives without it.
    return null;
  }
}
