import { isThere } from "#database/is-there.ts";
import type { DatabasePlace } from "#database/open.ts";
import { OperatorError } from "./operator-error.ts";

/** Throws an `OperatorError` for a missing SQLite file, which opening would create. */
export async function requireDatabase(place: DatabasePlace): Promise<void> {
  if (place.kind === "postgres" || (await isThere(place))) return;
  throw new OperatorError("no_database", `There is no database ${place.path}.`);
}
