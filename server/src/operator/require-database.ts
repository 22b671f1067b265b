import { stat } from "node:fs/promises";
import type { DatabasePlace } from "#database/open.ts";
import { OperatorError } from "./operator-error.ts";

/** Throws an `OperatorError` where there is no file: opening one would make it. */
export async function requireDatabase(place: DatabasePlace): Promise<void> {
  if (place.kind === "postgres") return;
  const isThere = await stat(place.path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isThere) throw new OperatorError("no_database", `There is no database ${place.path}.`);
}
