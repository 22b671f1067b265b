import { sql } from "kysely";
import type { Context } from "#context.ts";
import { decodeCounts, decodeResults, decodePending } from "#delivery/store/tuples.ts";
import { toNotification } from "#delivery/store/rows.ts";
import type {
  DeliveryResult,
  FinalState,
  NewNotification,
  PendingDevice,
} from "#delivery/delivery.ts";

/** All recorded deliveries of some notifications, by notification. */
export interface RecordedDeliveries {
  readonly endedCounts: ReadonlyMap<string, Partial<Record<FinalState, number>>>;
  readonly pending: ReadonlyMap<string, readonly PendingDevice[]>;
  /** The ids of notifications with unfinished deliveries. */
  readonly unfinishedIds: ReadonlySet<string>;
}

/** Returns the newest notifications sent to the given audiences, older than the id `after`. */
export async function listSentNotifications(
  { database: { db } }: Context,
  input: { audienceIds: readonly string[]; after: string | null; limit: number },
): Promise<readonly NewNotification[]> {
  const perAudience = await Promise.all(
    input.audienceIds.map((audienceId) => {
      const query = db
        .selectFrom("feed_entry")
        .select("notification_id")
        .where("audience_id", "=", audienceId)
        .orderBy("notification_id", "desc")
        .limit(input.limit);
      const { after } = input;
      return (after === null ? query : query.where("notification_id", "<", after)).execute();
    }),
  );
  const ids = perAudience
    .flat()
    .map((row) => row.notification_id)
    .toSorted((one, other) => (one < other ? 1 : -1))
    .slice(0, input.limit);
  return findNotifications({ database: { db } }, ids);
}

/** Returns one notification, if it was sent to one of the audiences; null otherwise. */
export async function findSentNotification(
  { database: { db } }: Context,
  { id, audienceIds }: { id: string; audienceIds: readonly string[] },
): Promise<NewNotification | null> {
  const row = await db
    .selectFrom("notification")
    .selectAll()
    .where("id", "=", id)
    .where("audience_id", "in", audienceIds)
    .executeTakeFirst();
  return row === undefined ? null : toNotification(row);
}

/** Returns the notifications with these ids that still exist, the newest first. */
export async function findNotifications(
  { database: { db } }: { database: Pick<Context["database"], "db"> },
  ids: readonly string[],
): Promise<readonly NewNotification[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("notification").selectAll().where("id", "in", ids).execute();
  return rows.map(toNotification).toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

/** Returns the extras of notifications that have any, by id: parts that only apps of other services can show, as stored. */
export async function findExtras(
  { database: { db } }: Pick<Context, "database">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("notification")
    .select(["id", "extras"])
    .where("id", "in", ids)
    .where("extras", "is not", null)
    .execute();
  return new Map(rows.map(({ id, extras }) => [id, extras ?? ""]));
}

/** Returns, for each notification, the counts of ended deliveries by result and the unfinished deliveries. */
export async function findRecordedDeliveries(
  { database: { db } }: Context,
  ids: readonly string[],
): Promise<RecordedDeliveries> {
  if (ids.length === 0)
    return { endedCounts: new Map(), pending: new Map(), unfinishedIds: new Set() };
  // In one query, a delivery that moves from a job to a page is in one of them, never in both.
  const rows = await db
    .selectFrom("send_job")
    .select(["notification_id", "pending as text", sql<"page" | "job">`'job'`.as("kind")])
    .where("notification_id", "in", ids)
    .unionAll(
      db
        .selectFrom("delivery_page")
        .select(["notification_id", "counts as text", sql<"page" | "job">`'page'`.as("kind")])
        .where("notification_id", "in", ids),
    )
    .execute();
  const pages = rows.filter(({ kind }) => kind === "page");
  const jobs = rows.filter(({ kind }) => kind === "job");
  const endedCounts = new Map<string, Partial<Record<FinalState, number>>>();
  for (const page of pages) {
    const existing = endedCounts.get(page.notification_id) ?? {};
    const additional = decodeCounts(page.text ?? "{}");
    endedCounts.set(page.notification_id, addCounts(existing, additional));
  }
  const pending = new Map<string, readonly PendingDevice[]>();
  for (const job of jobs) {
    const existing = pending.get(job.notification_id) ?? [];
    const additional = job.text === null ? [] : decodePending(job.text);
    pending.set(job.notification_id, [...existing, ...additional]);
  }
  return { endedCounts, pending, unfinishedIds: new Set(jobs.map((job) => job.notification_id)) };
}

function addCounts(
  one: Partial<Record<FinalState, number>>,
  other: Partial<Record<FinalState, number>>,
): Partial<Record<FinalState, number>> {
  const sum = { ...one };
  for (const [state, count] of Object.entries(other)) {
    const key = state as FinalState; // Both records have only final states as keys.
    sum[key] = (sum[key] ?? 0) + count;
  }
  return sum;
}

/** Returns the recorded results of one notification, at most `limit`. */
export async function findResults(
  { database: { db } }: Context,
  { notificationId, limit }: { notificationId: string; limit: number },
): Promise<readonly DeliveryResult[]> {
  const results: DeliveryResult[] = [];
  let after = "";
  // Terminates, because a page has at least one result. For a large audience, a few pages fill a list.
  while (results.length < limit) {
    const pages = await db
      .selectFrom("delivery_page")
      .select(["id", "results"])
      .where("notification_id", "=", notificationId)
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGES_PER_QUERY)
      .execute();
    for (const page of pages) results.push(...decodeResults(page.results));
    const last = pages.at(-1);
    if (last === undefined || pages.length < PAGES_PER_QUERY) break;
    after = last.id;
  }
  return results.slice(0, limit);
}

/** The number of result pages per query. Each page has up to 500 results. */
const PAGES_PER_QUERY = 2;
