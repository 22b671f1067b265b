import type { DatabasePlace } from "#database/open.ts";
import { placeText } from "./place.ts";

/** Returns instructions for a backup of a PostgreSQL database, without the password. */
export function postgresAdvice(place: DatabasePlace, file: string): string {
  const url = placeText(place);
  return [
    "PostgreSQL has its own tools for backups, which take everything as it is at one moment:",
    `  pg_dump --format=custom --file='${file.replaceAll("'", "'\\''")}' '${url}'`,
    "  pg_restore --dbname=URL_OF_AN_EMPTY_DATABASE FILE",
    "The password is asked for, or read from PGPASSWORD. The server's secrets are in the database;",
    "the master key that seals them is not. Keep a copy of it in another place.",
  ].join("\n");
}
