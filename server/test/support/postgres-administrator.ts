import { Pool, type PoolClient } from "pg";

/** This process's only connection to the tests' server. It does not keep the process alive. */
let pool: Pool | null = null;

/**
 * Runs statements as the administrator of the server. Reuses one connection, because every test creates and drops a database, and
 * connecting costs more than these statements.
 */
export async function runOnServer<T>(
  url: string,
  run: (server: PoolClient) => Promise<T>,
): Promise<T> {
  pool ??= createPool(url);
  const server = await pool.connect();
  try {
    return await run(server);
  } finally {
    server.release();
  }
}

/** Returns the URL of another database on the server of a URL. */
export function withDatabaseName(url: string, name: string): string {
  const databaseUrl = new URL(url);
  databaseUrl.pathname = `/${name}`;
  return databaseUrl.href;
}

function createPool(url: string): Pool {
  const connectionString = withDatabaseName(url, "postgres");
  const newPool = new Pool({
    connectionString,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  // The pool replaces an idle connection that was lost.
  newPool.on("error", () => {});
  return newPool;
}
