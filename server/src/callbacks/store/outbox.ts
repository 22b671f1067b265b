import { sql, type Expression, type Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { selectRunAtMax } from "#database/run-at-limit.ts";
import type { Schema } from "#database/schema.ts";
import type { Callback, CallbackEvent, NewCallback } from "../callback.ts";

/** A callback that this process may send until its lease ends. */
export interface LeasedCallback extends Callback {
  /** The body in JSON, the same at every attempt. */
  readonly body: string;
  /** Includes this attempt. A result is recorded only if the number still matches. */
  readonly attempts: number;
}

/** The statement that stores a callback, and the id of the callback if the statement stores it. */
export interface CallbackInsert extends Compilable {
  readonly id: string;
}

/**
 * Returns the statement that stores a callback, for the caller's own transaction. With a condition, it stores the
 * callback only if the condition is true at that point of the transaction. After the commit, the caller calls
 * `announce` of the sender. The body has the members `type`, `timestamp` and `data` (Standard Webhooks, "Payload
 * structure").
 */
export function insertCallbackQuery(
  { database: { db }, now, newId }: Context,
  { sourceId, event, subjectId, url, payload }: NewCallback,
  condition: Expression<boolean> = sql<boolean>`1 = 1`,
): CallbackInsert {
  const id = newId();
  const createdAt = now();
  const timestamp = new Date(createdAt).toISOString();
  const body = JSON.stringify({ type: event, timestamp, data: payload });
  const at = sql<number>`cast(${createdAt} as bigint)`;
  const query = db
    .insertInto("callback")
    .columns(INSERTED_COLUMNS)
    .expression(
      db
        .selectNoFrom([
          toText(id).as("id"),
          toText(sourceId).as("source_id"),
          sql<CallbackEvent>`cast(${event} as text)`.as("event"),
          toText(subjectId).as("subject_id"),
          toText(url).as("url"),
          toText(body).as("payload"),
          at.as("created_at"),
          at.as("run_at"),
          sql<number>`0`.as("attempts"),
        ])
        .where(condition),
    );
  return { id, compile: () => query.compile() };
}

/** PostgreSQL cannot infer the type of every placeholder in a select list, so each has a cast. */
function toText(value: string) {
  return sql<string>`cast(${value} as text)`;
}

const INSERTED_COLUMNS = [
  "id",
  "source_id",
  "event",
  "subject_id",
  "url",
  "payload",
  "created_at",
  "run_at",
  "attempts",
] as const;

/** The limits of a claim. */
interface CallbackClaim {
  readonly max: number;
  /** The end of the lease, in milliseconds since the epoch. */
  readonly until: number;
  /** The sources that have enough callbacks in flight. */
  readonly busySourceIds: readonly string[];
}

/** Leases up to `max` of the callbacks that have been due longest, except those of busy sources. */
export async function claimCallbacks(
  { database: { db, engine }, now }: Context,
  { max, until, busySourceIds }: CallbackClaim,
): Promise<readonly LeasedCallback[]> {
  const dueIds = selectUnfinished(db, busySourceIds)
    .select("id")
    .where("run_at", "<=", now())
    .orderBy("run_at")
    .limit(max)
    .modifyEnd(engine.skipLocked);
  return db
    .updateTable("callback")
    .set({ run_at: until, attempts: sql<number>`attempts + 1` })
    .where(engine.isOneOf("id", dueIds))
    .returning([
      "id",
      "source_id as sourceId",
      "event",
      "subject_id as subjectId",
      "url",
      "payload as body",
      "attempts",
    ])
    .execute();
}

/** Returns when the next callback of a source that is not busy is due; null if there is none. */
export async function findNextCallbackDueAt(
  { database: { db } }: Context,
  busySourceIds: readonly string[],
): Promise<number | null> {
  const row = await selectUnfinished(db, busySourceIds)
    .select("run_at")
    .orderBy("run_at")
    .limit(1)
    .executeTakeFirst();
  return row?.run_at ?? null;
}

/** Selects the callbacks that are still to be sent: `run_at` of a failed one is null. */
function selectUnfinished(db: Kysely<Schema>, busySourceIds: readonly string[]) {
  const unfinished = db.selectFrom("callback").where("run_at", "is not", null);
  return busySourceIds.length === 0
    ? unfinished
    : unfinished.where("source_id", "not in", busySourceIds);
}

/** Deletes a callback that its receiver has accepted. */
export async function removeCallback(
  { database: { db } }: Context,
  { id, attempts }: LeasedCallback,
): Promise<void> {
  await db
    .deleteFrom("callback")
    .where("id", "=", id)
    .where("attempts", "=", attempts)
    .where("run_at", "is not", null)
    .execute();
}

/** Records the failure of an attempt, and makes the callback due again at the time `runAt`. */
export async function postponeCallback(
  { database: { db } }: Context,
  { id, attempts }: LeasedCallback,
  { runAt, reason }: { readonly runAt: number; readonly reason: string },
): Promise<void> {
  await db
    .updateTable("callback")
    .set({ run_at: runAt, last_failure: reason })
    .where("id", "=", id)
    .where("attempts", "=", attempts)
    .where("run_at", "is not", null)
    .execute();
}

/** Makes an interrupted callback due at once, as if its attempt had not begun. */
export async function returnCallback(
  { database: { db }, now }: Context,
  { id, attempts }: LeasedCallback,
): Promise<void> {
  await db
    .updateTable("callback")
    .set({ run_at: now(), attempts: attempts - 1 })
    .where("id", "=", id)
    .where("attempts", "=", attempts)
    .where("run_at", "is not", null)
    .execute();
}

/**
 * Limits every wait to the item of `waitsMaxMs` for the number of attempts so far. A longer wait was planned while the
 * wall clock was ahead, and would last until the clock reaches that time again.
 */
export async function shortenCallbackWaits(
  { database: { db }, now }: Context,
  waitsMaxMs: readonly number[],
): Promise<void> {
  const runAtMax = selectRunAtMax(now(), waitsMaxMs, waitsMaxMs.at(-1) ?? 0);
  await db
    .updateTable("callback")
    .set({ run_at: runAtMax })
    .where("run_at", ">", runAtMax)
    .execute();
}
