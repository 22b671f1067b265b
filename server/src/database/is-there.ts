import { stat } from "node:fs/promises";
import type { DatabasePlace } from "./open.ts";

/** Returns whether a database exists. Opening a missing SQLite file would create it. */
export async function isThere(place: DatabasePlace): Promise<boolean> {
  if (place.kind === "postgres") return true;
  return stat(place.path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
