import { stat } from "node:fs/promises";
import type { DatabaseLocation } from "./open.ts";

/** Returns whether a SQLite file exists, because opening a missing file would create it; always true for PostgreSQL. */
export async function databaseExists(location: DatabaseLocation): Promise<boolean> {
  if (location.kind === "postgres") return true;
  return stat(location.path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
