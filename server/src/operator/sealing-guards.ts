import { join } from "node:path";
import type { Database } from "#database/database.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { hashedSessions } from "#database/migrations/0038-hashed-sessions.ts";
import { hasNodesBefore } from "#nodes/store.ts";
import type { KeySettings } from "#secrets/load-key-ring.ts";
import { OperatorError } from "./operator-error.ts";

/**
 * Throws an `OperatorError` while a node of an earlier version is alive: such a node cannot read the values that this
 * version seals.
 */
export async function refuseEarlierNodes(database: Database): Promise<void> {
  if (!(await hasNodesBefore(database, hashedSessions.name))) return;
  throw new OperatorError(
    "earlier_version",
    "A node of an earlier version runs on the database, and could not read sealed values. Upgrade every node to this version first.",
  );
}

/**
 * Prevents servers on SQLite from starting during the first sealing, and returns a function that lets them start again.
 * Throws an `OperatorError` if a server runs: it would store rows unsealed.
 */
export function lockServersOut({ database, dataDir }: KeySettings): () => void {
  if (database.kind !== "sqlite") return () => {};
  try {
    return lockInstance(join(dataDir, "server.lock"));
  } catch (error) {
    throw new OperatorError(
      "running",
      `A server runs on ${dataDir}, and stores values unsealed. Stop it for the first sealing.`,
      error,
    );
  }
}
