import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { FinalState } from "#delivery/delivery.ts";
import { toMinId } from "#ids.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import type { ActivityRow } from "./summary.ts";

/** The number of waiting notifications at which the count stops. */
const WAITING_MAX = 10_000;

/** The audiences and days to count; days are since the epoch, ascending. */
export interface ActivityCountInput {
  /** Null means all audiences. */
  readonly audienceIds: readonly string[] | null;
  readonly days: readonly number[];
}

/** Returns the number of ended deliveries by day and result. */
export async function countEnded(
  { database: { db } }: Context,
  { audienceIds, days }: ActivityCountInput,
): Promise<readonly ActivityRow[]> {
  const columns = ["audience_id", "day", "provider", "state", "code", "pace", "count"] as const;
  let query = db
    .selectFrom(
      db
        .selectFrom("activity")
        .select(columns)
        .unionAll(db.selectFrom("activity_tally").select(columns))
        .as("counted"),
    )
    .select((eb) => [
      "day",
      "provider",
      "state",
      "code",
      "pace",
      eb.fn.sum<number>("count").as("count"),
    ])
    .where("day", ">=", days[0] ?? 0)
    .groupBy(["day", "provider", "state", "code", "pace"]);
  if (audienceIds !== null) query = query.where("audience_id", "in", audienceIds);
  const rows = await query.execute();
  // Only final states are counted.
  return rows.map((row) => ({ ...row, state: row.state as FinalState }));
}

/** Returns the number of notifications sent on each day. */
export async function countSent(
  { database: { db } }: Context,
  { audienceIds, days }: ActivityCountInput,
): Promise<readonly { readonly day: number; readonly count: number }[]> {
  return Promise.all(
    days.map(async (day) => {
      const from = toMinId(day * DAY_MS);
      const to = toMinId((day + 1) * DAY_MS);
      // Ids sort by time, so an index is enough to answer this.
      const query =
        audienceIds === null
          ? sql<{ count: number }>`select count(*) as count from notification
              where id >= ${from} and id < ${to}`
          : sql<{ count: number }>`select count(*) as count from feed_entry
              where audience_id in (${sql.join(audienceIds)})
                and notification_id >= ${from} and notification_id < ${to}`;
      const { rows } = await query.execute(db);
      return { day, count: rows[0]?.count ?? 0 };
    }),
  );
}

/** Returns the number of notifications with unfinished deliveries, up to 10,000. */
export async function countWaiting(
  { database: { db } }: Context,
  audienceIds: readonly string[] | null,
): Promise<number> {
  const audienceFilter =
    audienceIds === null
      ? sql``
      : sql` where notification.audience_id in (${sql.join(audienceIds)})`;
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select distinct notification.id from send_job
    join notification on notification.id = send_job.notification_id${audienceFilter}
    limit ${sql.lit(WAITING_MAX)}) waiting`.execute(db);
  return rows[0]?.count ?? 0;
}
