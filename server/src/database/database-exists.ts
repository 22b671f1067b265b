import { stat } from "node:fs/promises";
import type { DatabaseLocation } from "./open.ts";

/** Returns whether a database exists. Opening a missing SQLite file would create it. */
export async function databaseExists(location: DatabaseLocation): Promise<boolean> {
  if (location.kind === "postgres") return true;
  return stat(location.path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
