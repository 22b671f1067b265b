import { sql, type Expression, type QueryResult, type SqlBool } from "kysely";
import type { Context, DatabaseContext } from "#context.ts";
import { castToBigint, castToText } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Timer, TimerKind } from "./timer.ts";

/** The condition under which a statement of another room's transaction changes a timer. */
export type TimerCondition = Expression<SqlBool>;

/** A timer to set. `runAt` is in milliseconds since the epoch. */
export interface TimerDraft {
  readonly kind: TimerKind;
  readonly subjectId: string;
  readonly runAt: number;
  /** True if `runAt` is a date, not a duration after now. False by default. */
  readonly isAbsolute?: boolean;
}

/** The identity of a timer that its handler received. */
type FiredTimer = Pick<Timer, "id" | "runAt">;

/**
 * Returns the statement that sets a timer, and replaces an earlier timer of the same kind and subject. A handler that
 * received the earlier one can no longer move or remove it. After the commit, the caller calls `wakeAt` of the worker.
 */
export function setTimerQuery(
  { database: { db }, now, newId }: Pick<Context, "database" | "now" | "newId">,
  { kind, subjectId, runAt, isAbsolute = false }: TimerDraft,
  condition: TimerCondition = ALWAYS,
): Compilable {
  const id = castToText(newId());
  const at = castToBigint(runAt);
  return db
    .insertInto("timer")
    .columns(["id", "kind", "subject_id", "run_at", "due_at", "set_at", "is_absolute", "failures"])
    .expression(
      sql`select ${id}, ${castToText(kind)}, ${castToText(subjectId)}, ${at}, ${at}, ${castToBigint(now())},
        ${sql.lit(isAbsolute ? 1 : 0)}, 0 where ${condition}`,
    )
    .onConflict((conflict) =>
      conflict.columns(["subject_id", "kind"]).doUpdateSet((eb) => ({
        id: eb.ref("excluded.id"),
        run_at: eb.ref("excluded.run_at"),
        due_at: eb.ref("excluded.due_at"),
        set_at: eb.ref("excluded.set_at"),
        is_absolute: eb.ref("excluded.is_absolute"),
        failures: 0,
      })),
    );
}

/** Returns the statement that removes the timers of a subject that have one of these kinds. */
export function removeTimersQuery(
  { database: { db } }: DatabaseContext,
  { subjectId, kinds }: { readonly subjectId: string; readonly kinds: readonly TimerKind[] },
  condition: TimerCondition = ALWAYS,
): Compilable {
  return db
    .deleteFrom("timer")
    .where("subject_id", "=", subjectId)
    .where("kind", "in", kinds)
    .where(condition);
}

/**
 * Returns the statement that moves a fired timer to the time `runAt`, in milliseconds since the epoch. It affects no
 * row if the timer was set, moved or removed since it fired.
 */
export function moveTimerQuery(
  { database: { db }, now }: Pick<Context, "database" | "now">,
  timer: FiredTimer,
  runAt: number,
  condition: TimerCondition = ALWAYS,
): Compilable {
  return db
    .updateTable("timer")
    .set({ run_at: runAt, due_at: runAt, set_at: now(), failures: 0 })
    .where("id", "=", timer.id)
    .where("run_at", "=", timer.runAt)
    .where(condition);
}

/**
 * Returns the statement that removes a fired timer. It affects no row if the timer was set, moved or removed since it
 * fired.
 */
export function removeTimerQuery(
  { database: { db } }: DatabaseContext,
  timer: FiredTimer,
  condition: TimerCondition = ALWAYS,
): Compilable {
  return db
    .deleteFrom("timer")
    .where("id", "=", timer.id)
    .where("run_at", "=", timer.runAt)
    .where(condition);
}

const ALWAYS = sql<boolean>`true`;

/**
 * Returns whether a statement of this file affected a timer. If no other row decides which process wins, a room begins
 * its `database.transaction` with `removeTimerQuery` or `moveTimerQuery`, and changes nothing if that affected no
 * timer. The process that loses waits there until the other one has committed.
 */
export function didAffectTimer({ numAffectedRows = 0n }: QueryResult<unknown>): boolean {
  return numAffectedRows > 0n;
}

/** A timer as stored, with the time of its next attempt. */
export interface StoredTimer extends Timer {
  /** In milliseconds since the epoch. */
  readonly dueAt: number;
}

/** The timers that are due first. */
export interface TimerPage {
  readonly timers: readonly StoredTimer[];
  /** The latest time at which any timer was set, in milliseconds since the epoch; null if the page is empty. */
  readonly lastSetAt: number | null;
}

/** Reads up to `max` timers of these kinds, in the order in which they are due. */
export async function readTimerPage(
  { database: { db } }: DatabaseContext,
  { kinds, max }: { readonly kinds: readonly TimerKind[]; readonly max: number },
): Promise<TimerPage> {
  const rows = await db
    .selectFrom("timer")
    .select(["id", "kind", "subject_id", "run_at", "due_at", "set_at", "is_absolute", "failures"])
    .select((eb) =>
      eb
        .selectFrom("timer as latest")
        .select(({ fn }) => fn.max("latest.set_at").as("at"))
        .as("last_set_at"),
    )
    .where("kind", "in", kinds)
    .orderBy("due_at")
    .orderBy("id")
    .limit(max)
    .execute();
  const timers = rows.map((row) => ({
    id: row.id,
    kind: row.kind as TimerKind, // The query selects only these kinds.
    subjectId: row.subject_id,
    runAt: row.run_at,
    dueAt: row.due_at,
    setAt: row.set_at,
    isAbsolute: row.is_absolute === 1,
    failures: row.failures,
  }));
  return { timers, lastSetAt: rows[0]?.last_set_at ?? null };
}

/**
 * Counts a failed attempt at a timer, and makes it due again at `dueAt`. Changes nothing if the timer was changed or
 * attempted meanwhile.
 */
export async function recordFailure(
  { database: { db }, now }: Context,
  { id, runAt, failures }: Timer,
  dueAt: number,
): Promise<void> {
  await db
    .updateTable("timer")
    .set({ failures: failures + 1, due_at: dueAt, set_at: now() })
    .where("id", "=", id)
    .where("run_at", "=", runAt)
    .where("failures", "=", failures)
    .execute();
}

/**
 * Corrects the timers that were set later than `after`, in milliseconds since the epoch, and returns their number. They
 * were set before the clock was set back. A duration starts again, unless it has failed: then it was due, and
 * stays due. A date stays. Idempotent.
 */
export async function correctDisplacedTimers(
  { database: { db }, now }: Context,
  after: number,
): Promise<number> {
  const at = castToBigint(now());
  const { numUpdatedRows } = await db
    .updateTable("timer")
    .set({
      run_at: sql<number>`case when is_absolute = 1 then run_at when failures = 0 then run_at - set_at + ${at}
        when run_at > ${at} then ${at} else run_at end`,
      due_at: sql<number>`case when is_absolute = 0 and failures = 0 then run_at - set_at + ${at}
        when is_absolute = 1 and run_at > ${at} then run_at else ${at} end`,
      set_at: at,
    })
    .where("set_at", ">", after)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Counts of stored timers. */
export interface TimerCounts {
  readonly due: number;
  /** Timers whose last attempt failed. */
  readonly failing: number;
}

/** Returns how many timers are due, and how many failed at their last attempt. */
export async function countTimers({
  database: { db },
  now,
}: Pick<Context, "database" | "now">): Promise<TimerCounts> {
  const at = now();
  const { due, failing } = await db
    .selectFrom("timer")
    .select(({ fn }) => [
      fn.countAll().filterWhere("due_at", "<=", at).as("due"),
      fn.countAll().filterWhere("failures", ">", 0).as("failing"),
    ])
    .executeTakeFirstOrThrow();
  return { due: Number(due), failing: Number(failing) };
}

/** Returns the condition that a timer was not set, moved or removed since it fired, for another room's statement. */
export function isUnchangedSinceFired({ id, runAt }: FiredTimer) {
  return sql<boolean>`exists (select 1 from timer where id = ${id} and run_at = ${runAt})`;
}

/** Returns whether a timer was not set, moved or removed since it fired. */
export async function isTimerUnchanged(
  { database: { db } }: DatabaseContext,
  { id, runAt }: FiredTimer,
): Promise<boolean> {
  const row = await db
    .selectFrom("timer")
    .select("id")
    .where("id", "=", id)
    .where("run_at", "=", runAt)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the timers of some subjects and kinds. */
export async function listTimers(
  { database: { db } }: DatabaseContext,
  {
    subjectIds,
    kinds,
  }: { readonly subjectIds: readonly string[]; readonly kinds: readonly TimerKind[] },
): Promise<readonly Pick<Timer, "subjectId" | "kind" | "runAt">[]> {
  if (subjectIds.length === 0) return [];
  const rows = await db
    .selectFrom("timer")
    .select(["subject_id as subjectId", "kind", "run_at as runAt"])
    .where("subject_id", "in", subjectIds)
    .where("kind", "in", kinds)
    .execute();
  return rows.map(({ kind, ...row }) => ({ ...row, kind: kind as TimerKind })); // The query selects only these kinds.
}
