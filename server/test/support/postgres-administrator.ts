import { Pool, type PoolClient } from "pg";

/** One connection of this process to the server that its tests run on; it keeps no process whose tests are done. */
let pool: Pool | null = null;

/**
 * Runs statements as the administrator of the server. Every test makes a database and drops it again: a connection for each of
 * the two would cost more than the statement.
 */
export async function onServer<T>(
  url: string,
  run: (server: PoolClient) => Promise<T>,
): Promise<T> {
  pool ??= poolOf(url);
  const server = await pool.connect();
  try {
    return await run(server);
  } finally {
    server.release();
  }
}

/** Returns the URL of another database on the server of a URL. */
export function named(url: string, name: string): string {
  const named = new URL(url);
  named.pathname = `/${name}`;
  return named.href;
}

function poolOf(url: string): Pool {
  const connectionString = named(url, "postgres");
  const made = new Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // A connection that was lost while nobody used it is made anew.
  made.on("error", () => {});
  return made;
}
