import type { Logger } from "pino";
import { openSqlite, type Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";

/** Where everything is remembered. */
export type DatabasePlace =
  /** The absolute path of a file, of which one process makes use. */
  | { readonly kind: "sqlite"; readonly path: string }
  /** As libpq reads it; it may hold a password. */
  | { readonly kind: "postgres"; readonly url: string };

/** Opens the database at a place; a file that is missing is made. */
export function openDatabase(place: DatabasePlace, log: Logger): Database {
  if (place.kind === "sqlite") return openSqlite(place.path);
  return openPostgres({
    url: place.url,
    onIdleError: (error) => log.warn({ err: error }, "a connection to the database was lost"),
  });
}

/** Changes of tables may take this long, and wait so long for another process that makes them. */
const MIGRATION_PATIENCE_MS = 10 * 60_000;

/** Opens the database at a place for long statements, one after the other. */
export function openPatiently(place: DatabasePlace, log: Logger): Database {
  if (place.kind === "sqlite") return openDatabase(place, log);
  return openPostgres({ url: place.url, connectionsMax: 2, patienceMs: MIGRATION_PATIENCE_MS });
}
