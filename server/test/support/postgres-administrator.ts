import { Pool, type PoolClient } from "pg";

/** This process's only connection as the administrator of the tests' server. It does not keep the process alive. */
let pool: Pool | null = null;

/**
 * Runs statements as the administrator of the server. Reuses one connection, because every test creates and drops a database, and
 * connecting costs more than these statements. All calls must use the same `url`: only the first one opens the connection.
 */
export async function runAsAdministrator<T>(
  url: string,
  run: (client: PoolClient) => Promise<T>,
): Promise<T> {
  pool ??= createPool(url);
  const client = await pool.connect();
  try {
    return await run(client);
  } finally {
    client.release();
  }
}

/** Returns the URL with another database name. */
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
  // Without a listener, the loss of an idle connection would end the process. The pool replaces it.
  newPool.on("error", () => {});
  return newPool;
}
