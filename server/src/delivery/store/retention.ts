import type { ExpressionBuilder } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { Compilable } from "#database/database.ts";
import { dropDays, firstDay } from "#database/drop-days.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { leastIdAt } from "#ids.ts";

export interface PruneInput {
  /** Milliseconds since the epoch: what was accepted earlier goes, unless something of it is still owed. */
  readonly before: number;
  /** At most so many notifications at once, so that no commit is long. */
  readonly limit: number;
  /** Returns what goes with the notifications in the same commit. */
  readonly alongside: (ids: readonly string[]) => readonly Compilable[];
}

/** Deletes notifications with their results; returns how many went. Those that have a day go with it. */
export async function pruneNotifications(
  { database }: Context,
  { before, limit, alongside }: PruneInput,
): Promise<number> {
  const first = await firstDay(database);
  const oldest = leastIdAt(before);
  const bound = first !== null && first < oldest ? first : oldest;
  return database.transaction(async (db) => {
    const old = db
      .selectFrom("notification")
      .select("id")
      .where("id", "<", bound)
      .where(isUnowed)
      .orderBy("id")
      .limit(limit);
    const rows = await db
      .deleteFrom("notification")
      .where("id", "in", old)
      .where(isUnowed)
      .returning("id")
      .execute();
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await db.deleteFrom("delivery_page").where("notification_id", "in", ids).execute();
    for (const query of alongside(ids)) await db.executeQuery(query.compile());
    return ids.length;
  });
}

/** Whatever the clock shows: what work is left of stays, in the statement itself that deletes. */
function isUnowed(is: ExpressionBuilder<Schema, "notification">) {
  const jobs = is
    .selectFrom("send_job")
    .select("send_job.id")
    .whereRef("send_job.notification_id", "=", "notification.id");
  return is.not(is.exists(jobs));
}

/** Makes the days to which the notifications of the next days go, where the database knows days. */
export async function makeDays({ database, now }: Context): Promise<void> {
  await prepareDays(database, { now: now() });
}

/** Drops the days that ended before a moment, but for those of which something is still owed. */
export async function pruneDays({ database }: Context, before: number): Promise<void> {
  await dropDays(database, {
    before,
    async isOwed(db, { from, to }) {
      const job = await db
        .selectFrom("send_job")
        .select("id")
        .where("notification_id", ">=", from)
        .where("notification_id", "<", to)
        .executeTakeFirst();
      return job !== undefined;
    },
  });
}

/**
 * Deletes notifications with their results and what of them is still owed, whatever their age. Their jobs are kept first:
 * one that is cut into chunks meanwhile would leave them behind.
 */
export async function removeNotifications(
  { database }: Context,
  { ids, alongside }: { readonly ids: readonly string[] } & Pick<PruneInput, "alongside">,
): Promise<void> {
  const { db, engine } = database;
  const jobs = db.selectFrom("send_job").select("id").where("notification_id", "in", ids);
  await database.atomically([
    ...(engine.keepRows === null ? [] : [jobs.orderBy("id").modifyEnd(engine.keepRows)]),
    db.deleteFrom("send_job").where("notification_id", "in", ids),
    db.deleteFrom("delivery_page").where("notification_id", "in", ids),
    db.deleteFrom("notification").where("id", "in", ids),
    ...alongside(ids),
  ]);
}

/** Deletes idempotency keys that are no longer remembered. */
export async function pruneIdempotency(
  { database: { db } }: Context,
  before: number,
): Promise<void> {
  await db.deleteFrom("idempotency").where("created_at", "<", before).execute();
}

/** Deletes the counts of days before this one, days since the epoch. */
export async function pruneActivity({ database: { db } }: Context, day: number): Promise<void> {
  await db.deleteFrom("activity").where("day", "<", day).execute();
}

/** Deletes the counts of an audience. */
export async function removeActivity(
  { database: { db } }: Context,
  audienceId: string,
): Promise<void> {
  // First what would be added again.
  await db.deleteFrom("activity_tally").where("audience_id", "=", audienceId).execute();
  await db.deleteFrom("activity").where("audience_id", "=", audienceId).execute();
}
