import type { Context, DatabaseContext } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { CallbackEvent, FailedCallback } from "../callback.ts";
import type { LeasedCallback } from "./outbox.ts";

/** The reaction of a room to a callback that was given up. */
export interface CallbackFailureListener {
  /** Returns the statements that are committed together with the failure. */
  readonly createStatements: (failure: FailedCallback) => readonly Compilable[];
  /** Called after the commit; must not throw. */
  readonly onCommitted?: (failure: FailedCallback) => void;
}

/**
 * Records that a callback was given up, erases its body, which may name a person, and runs the listeners' statements in
 * the same transaction. Returns false and changes nothing if the callback was recorded as failed, claimed again or
 * deleted meanwhile.
 */
export async function failCallback(
  { database, now }: Context,
  { id, attempts, reason }: LeasedCallback & { readonly reason: string },
  statements: readonly Compilable[],
): Promise<boolean> {
  const failedAt = now();
  return database.transaction(async (db) => {
    const row = await db
      .updateTable("callback")
      .set({ run_at: null, failed_at: failedAt, last_failure: reason, payload: "" })
      .where("id", "=", id)
      .where("attempts", "=", attempts)
      .where("run_at", "is not", null)
      .returning("id")
      .executeTakeFirst();
    if (row === undefined) return false;
    for (const statement of statements) await db.executeQuery(statement.compile());
    return true;
  });
}

/** A callback that has not been delivered. Times are milliseconds since the epoch. */
export interface UndeliveredCallback {
  readonly id: string;
  readonly event: CallbackEvent;
  readonly createdAt: number;
  readonly attempts: number;
  /** The time of the next attempt, or of the end of the lease during one; null if the callback was given up. */
  readonly runAt: number | null;
  readonly failedAt: number | null;
  /** The reason of the last failure in words, without the URL; null before the first failure. */
  readonly lastFailure: string | null;
}

/** The maximum number of callbacks in a list. Most incidents and prompts cause only a few. */
const LIST_MAX = 100;

/** Returns the callbacks about an incident or prompt that are still to be sent or were given up, oldest first. */
export async function listUndelivered(
  { database: { db } }: DatabaseContext,
  subjectId: string,
): Promise<readonly UndeliveredCallback[]> {
  return db
    .selectFrom("callback")
    .select([
      "id",
      "event",
      "created_at as createdAt",
      "attempts",
      "run_at as runAt",
      "failed_at as failedAt",
      "last_failure as lastFailure",
    ])
    .where("subject_id", "=", subjectId)
    .orderBy("id")
    .limit(LIST_MAX)
    .execute();
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Deletes up to `limit` callbacks that were given up more than `retentionDays` ago. Returns how many. */
export async function pruneFailedCallbacks(
  { database: { db }, now }: Pick<Context, "database" | "now">,
  { retentionDays, limit }: { readonly retentionDays: number; readonly limit: number },
): Promise<number> {
  const before = now() - retentionDays * DAY_MS;
  const ids = db.selectFrom("callback").select("id").where("failed_at", "<", before).limit(limit);
  const result = await db.deleteFrom("callback").where("id", "in", ids).executeTakeFirst();
  return Number(result.numDeletedRows);
}
