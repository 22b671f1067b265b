import type { ClientBase } from "pg";

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

const SET = `select ${Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ")}`;

/** Asks the database to end this connection once its other end is gone; must be the first that is asked on it. */
export async function endWhenAbandoned(client: Pick<ClientBase, "query">): Promise<void> {
  try {
    await client.query(SET);
  } catch {
    // A database that is lost right now fails whatever else is asked of it; one that refuses this setting lives without it.
  }
}
