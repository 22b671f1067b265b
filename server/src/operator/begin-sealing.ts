import { join } from "node:path";
import type { Database } from "#database/database.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { knownSteps } from "#database/migrations/0022-known-steps.ts";
import { hasEarlierNodes } from "#nodes/store.ts";
import type { KeySettings } from "#secrets/master-keys.ts";
import { OperatorError } from "./operator-error.ts";

/**
 * Refuses to seal unsealed secrets while a process runs that could not read them, and returns the function that lifts
 * the lock: on SQLite no server starts meanwhile. Throws `OperatorError`.
 */
export async function beginSealing(
  database: Database,
  { database: place, dataDir }: KeySettings,
): Promise<() => void> {
  if (place.kind === "sqlite") return lock(dataDir);
  // Nodes of versions before this migration cannot read sealed values.
  if (await hasEarlierNodes(database, knownSteps.name)) {
    throw new OperatorError(
      "earlier_version",
      "A node of an earlier version runs on the database, and could not read what is sealed. Bring every node to this version first.",
    );
  }
  return () => {};
}

function lock(dataDir: string): () => void {
  try {
    return lockInstance(join(dataDir, "server.lock"));
  } catch (error) {
    throw new OperatorError(
      "running",
      `A server runs on ${dataDir}, and not all of it is sealed yet. Stop it for this first time.`,
      error,
    );
  }
}
