import type { DatabaseLocation } from "#database/open.ts";
import { formatDatabaseLocation } from "./database-location.ts";

/** Returns instructions for a backup of a PostgreSQL database to a file. They do not contain the password. */
export function formatPostgresAdvice(location: DatabaseLocation, file: string): string {
  const url = formatDatabaseLocation(location);
  return [
    "PostgreSQL has its own tools for backups, which take everything as it is at one moment:",
    `  pg_dump --format=custom --file='${file.replaceAll("'", "'\\''")}' '${url}'`,
    "  pg_restore --dbname=URL_OF_AN_EMPTY_DATABASE FILE",
    "The password is asked for, or read from PGPASSWORD. The server's secrets are in the database;",
    "the master key that seals them is not. Keep a copy of it in another place.",
  ].join("\n");
}
