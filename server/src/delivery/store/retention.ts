import type { ExpressionBuilder } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import type { Compilable } from "#database/database.ts";
import { dropDays, findFirstPartitionedId } from "#database/drop-days.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { toMinId } from "#ids.ts";

/** The age limit and the batch size of a deletion of old notifications. */
export interface PruneInput {
  /** Milliseconds since the epoch. Notifications accepted earlier are deleted, unless they still have a job. */
  readonly before: number;
  /** Maximum number of notifications in one commit, so that each commit is short. */
  readonly limit: number;
  /** Returns the statements that delete other rows of the notifications in the same commit. */
  readonly createExtraStatements: (
    notifications: readonly StoredNotification[],
  ) => readonly Compilable[];
}

/** A stored notification, and the id of the account or team that it was sent to. */
export interface StoredNotification {
  readonly id: string;
  readonly audienceId: string;
}

/**
 * Deletes old notifications with their results, and returns how many. Skips daily partitions, which `dropDayPartitions`
 * drops.
 */
export async function pruneNotifications(
  { database }: Context,
  { before, limit, createExtraStatements }: PruneInput,
): Promise<number> {
  const first = await findFirstPartitionedId(database);
  const oldest = toMinId(before);
  const bound = first !== null && first < oldest ? first : oldest;
  return database.transaction(async (db) => {
    const old = db
      .selectFrom("notification")
      .select("id")
      .where("id", "<", bound)
      .where(hasNoJob)
      .orderBy("id")
      .limit(limit);
    const rows = await db
      .deleteFrom("notification")
      .where("id", "in", old)
      .where(hasNoJob)
      .returning(["id", "audience_id as audienceId"])
      .execute();
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await db.deleteFrom("delivery_page").where("notification_id", "in", ids).execute();
    for (const query of createExtraStatements(rows)) await db.executeQuery(query.compile());
    return rows.length;
  });
}

/**
 * Matches notifications without a job. The deleting statement repeats this check, so the deletion does not depend on
 * the clock.
 */
function hasNoJob(eb: ExpressionBuilder<Schema, "notification">) {
  const jobs = eb
    .selectFrom("send_job")
    .select("send_job.id")
    .whereRef("send_job.notification_id", "=", "notification.id");
  return eb.not(eb.exists(jobs));
}

/** Creates the partitions of the next days, if the database has partitions. */
export async function createDayPartitions({ database, now }: Context): Promise<void> {
  await prepareDays(database, { now: now() });
}

/** Drops the partitions of days that ended before a time, except those that still have jobs. */
export async function dropDayPartitions({ database }: Context, before: number): Promise<void> {
  await dropDays(database, {
    before,
    async hasUnfinishedWork(db, { from, to }) {
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
 * Deletes notifications of any age with their results and jobs. Locks the jobs first: otherwise, the chunks of a job
 * that is expanded meanwhile would stay.
 */
export async function removeNotifications(
  { database }: Context,
  { ids, extraStatements }: RemoveInput,
): Promise<void> {
  const { db, engine } = database;
  const jobs = db.selectFrom("send_job").select("id").where("notification_id", "in", ids);
  await database.atomically([
    ...(engine.lockRows === null ? [] : [jobs.orderBy("id").modifyEnd(engine.lockRows)]),
    db.deleteFrom("send_job").where("notification_id", "in", ids),
    db.deleteFrom("delivery_page").where("notification_id", "in", ids),
    db.deleteFrom("notification").where("id", "in", ids),
    ...extraStatements,
  ]);
}

/** The ids of notifications to delete, and the statements that delete other rows of them in the same commit. */
interface RemoveInput {
  readonly ids: readonly string[];
  readonly extraStatements: readonly Compilable[];
}

/** Deletes idempotency keys that were stored before a time. */
export async function pruneIdempotency(
  { database: { db } }: Context,
  before: number,
): Promise<void> {
  await db.deleteFrom("idempotency").where("created_at", "<", before).execute();
}

/** Deletes the counts of days before `day`, which is in days since the epoch. */
export async function pruneActivity({ database: { db } }: Context, day: number): Promise<void> {
  await db.deleteFrom("activity").where("day", "<", day).execute();
}

/** Deletes the counts of an audience. */
export async function removeActivity(
  { database: { db } }: Context,
  audienceId: string,
): Promise<void> {
  // The counts of settlements go first. Otherwise they could be added to the daily counts after these are deleted.
  await db.deleteFrom("activity_tally").where("audience_id", "=", audienceId).execute();
  await db.deleteFrom("activity").where("audience_id", "=", audienceId).execute();
}
