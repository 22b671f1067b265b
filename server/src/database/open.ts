import type { Logger } from "pino";
import { openSqlite, type Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";

/** Location of the database. */
export type DatabasePlace =
  /** The absolute path of a file that only one process uses. */
  | { readonly kind: "sqlite"; readonly path: string }
  /** A connection URL as libpq reads it. It may contain a password. */
  | { readonly kind: "postgres"; readonly url: string };

/** Opens a database. Creates a missing SQLite file. */
export function openDatabase(place: DatabasePlace, log: Logger): Database {
  if (place.kind === "sqlite") return openSqlite(place.path);
  return openPostgres({
    url: place.url,
    onIdleError: (error) => log.warn({ err: error }, "a connection to the database was lost"),
  });
}

/** Timeout of a statement that changes tables, including its wait for another process that changes them. */
const MIGRATION_PATIENCE_MS = 10 * 60_000;

/** Opens a database for long statements that run one after the other. */
export function openPatiently(place: DatabasePlace, log: Logger): Database {
  if (place.kind === "sqlite") return openDatabase(place, log);
  return openPostgres({ url: place.url, connectionsMax: 2, patienceMs: MIGRATION_PATIENCE_MS });
}
