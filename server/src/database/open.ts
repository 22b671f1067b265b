import type { Logger } from "pino";
import { openSqlite, type Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";

/** The location of a database. */
export type DatabaseLocation =
  /** The absolute path of a file that only one server uses. */
  | { readonly kind: "sqlite"; readonly path: string }
  /** A connection URL as libpq reads it. It may contain a password. */
  | { readonly kind: "postgres"; readonly url: string };

/** Opens a database. Creates a missing SQLite file. */
export function openDatabase(location: DatabaseLocation, log: Logger): Database {
  if (location.kind === "sqlite") return openSqlite(location.path);
  return openPostgres({
    url: location.url,
    onIdleError: (error) => log.warn({ err: error }, "a connection to the database was lost"),
  });
}

/** Timeout of one long statement on PostgreSQL; on SQLite, of its wait for another process that uses the file. */
const LONG_TIMEOUT_MS = 10 * 60_000;

/** Opens a database for long statements that run one after another, such as migrations. */
export function openWithLongTimeouts(location: DatabaseLocation): Database {
  if (location.kind === "sqlite") return openSqlite(location.path, LONG_TIMEOUT_MS);
  return openPostgres({ url: location.url, connectionsMax: 2, timeoutMs: LONG_TIMEOUT_MS });
}
