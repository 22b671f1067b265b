import { databaseExists } from "#database/database-exists.ts";
import type { DatabaseLocation } from "#database/open.ts";
import { OperatorError } from "./operator-error.ts";

/** Throws an `OperatorError` for a missing SQLite file, which opening would create. */
export async function requireDatabase(location: DatabaseLocation): Promise<void> {
  if (location.kind === "postgres" || (await databaseExists(location))) return;
  throw new OperatorError("no_database", `There is no database ${location.path}.`);
}
