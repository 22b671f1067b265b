import { sql, type Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable, Database } from "#database/database.ts";
import { insertRowsQuery, type NewRow } from "#database/insert-rows.ts";
import type { Schema } from "#database/schema.ts";
import type { StoredNotification } from "#delivery/store/retention.ts";
import { toNotification } from "#delivery/store/rows.ts";
import { getFeedId, type NewNotification } from "#delivery/delivery.ts";
import { toMinId } from "#ids.ts";

/** A period in which a person sees one audience's notifications: those accepted in `[startsAt, endsAt)`. */
export interface FeedWindow {
  readonly audienceId: string;
  /** Milliseconds since the epoch; null means from the beginning. */
  readonly startsAt: number | null;
  /** Milliseconds since the epoch; null means up to now. */
  readonly endsAt: number | null;
}

/** Returns the entry of a notification in the feed of its audience. */
export function createFeedEntryRow({ id, audience, channel, createdAt }: NewNotification) {
  return {
    table: "feed_entry",
    row: {
      audience_id: getFeedId(audience),
      notification_id: id,
      channel,
      created_at: createdAt,
    },
  } as const satisfies NewRow;
}

/**
 * Stores the feed entries of notifications; keeps existing ones. All nodes insert them in the same order, so that they
 * cannot deadlock.
 */
export async function insertFeedEntries(
  { database }: Context,
  notifications: readonly NewNotification[],
): Promise<void> {
  const orderedNotifications = notifications.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const rows = orderedNotifications.map((notification) => createFeedEntryRow(notification).row);
  await database.atomically([
    insertRowsQuery(database.db, "feed_entry", rows, { skipsExisting: true }),
  ]);
}

/** Returns the notifications that have no entry in the feed of their audience. */
export async function findWithoutFeedEntry(
  { database: { db } }: Context,
  notifications: readonly NewNotification[],
): Promise<readonly NewNotification[]> {
  const rows = await db
    .selectFrom("feed_entry")
    .select("notification_id")
    .where("audience_id", "in", [
      ...new Set(notifications.map(({ audience }) => getFeedId(audience))),
    ])
    .where("notification_id", "in", [...new Set(notifications.map(({ id }) => id))])
    .execute();
  const idsInFeed = new Set(rows.map((row) => row.notification_id));
  return notifications.filter(({ id }) => !idsInFeed.has(id));
}

/** Returns the queries that delete the entries and read marks of one or more notifications from all feeds. */
export function removeFromFeedsQueries(
  { database: { db } }: Context,
  notifications: readonly StoredNotification[],
): readonly Compilable[] {
  const ids = notifications.map(({ id }) => id);
  const keys = notifications.map(({ audienceId, id }) => sql`(${audienceId}, ${id})`);
  return [
    db
      .deleteFrom("feed_entry")
      .where(sql<boolean>`(audience_id, notification_id) in (values ${sql.join(keys)})`),
    db.deleteFrom("feed_read").where("notification_id", "in", ids),
  ];
}

/** Returns the query that deletes the entries of notifications from one feed. */
export function removeFromFeedQuery(
  { database: { db } }: Context,
  { audienceId, ids }: { readonly audienceId: string; readonly ids: readonly string[] },
) {
  return db
    .deleteFrom("feed_entry")
    .where("audience_id", "=", audienceId)
    .where("notification_id", "in", ids);
}

/** Returns the ids of the oldest notifications in the feed of an audience, at most `limit`. */
export async function listFeedNotificationIds(
  { database: { db } }: Context,
  { audienceId, limit }: { readonly audienceId: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("feed_entry")
    .select("notification_id")
    .where("audience_id", "=", audienceId)
    .orderBy("notification_id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.notification_id);
}

/** Deletes the read marks of an account. */
export async function removeReadMarks(
  { database: { db } }: Context,
  accountId: string,
): Promise<void> {
  await db.deleteFrom("feed_read").where("account_id", "=", accountId).execute();
}

/** A page of one person's feed, optionally of one channel or only of unread entries. */
export interface FeedFilter {
  readonly accountId: string;
  readonly windows: readonly FeedWindow[];
  readonly channel: string | null;
  readonly isUnreadOnly: boolean;
  /** Only entries older than this id; null starts with the newest. */
  readonly after: string | null;
  readonly limit: number;
}

/** A notification in a person's feed. */
export interface FeedEntry {
  readonly notification: NewNotification;
  readonly readAt: number | null;
}

/** Returns the newest entries that the person may see and that match the filter. */
export async function listFeed(
  { database }: Context,
  filter: FeedFilter,
): Promise<readonly FeedEntry[]> {
  return loadMarkedNotifications(database.db, await listEntryMarks(database, filter));
}

/** A feed entry: the id of its notification, and the time at which its reader marked it as read. */
export interface FeedEntryMark {
  readonly notification_id: string;
  readonly read_at: number | null;
}

/** Returns the same entries as `listFeed`, without their notifications. */
export async function listEntryMarks(
  database: FeedDatabase,
  filter: FeedFilter,
): Promise<readonly FeedEntryMark[]> {
  // One short index scan per window: sorting all windows together would read them completely.
  const marksPerWindow = await Promise.all(
    filter.windows.map((window) => selectWindowEntries(database, filter, window).execute()),
  );
  return marksPerWindow
    .flat()
    .toSorted((one, other) => (one.notification_id < other.notification_id ? 1 : -1))
    .slice(0, filter.limit);
}

/** The members of the database that build queries. */
type FeedDatabase = Pick<Database, "db" | "engine">;

/** Returns one entry that the person may see; null if there is none. */
export async function findEntry(
  { database }: Context,
  { accountId, windows, id }: ReaderEntry,
): Promise<FeedEntry | null> {
  const candidates = await Promise.all(
    windows.map((window) =>
      selectVisibleEntries(database, accountId, window)
        .select(["feed_entry.notification_id", "feed_read.read_at"])
        .where("feed_entry.notification_id", "=", id)
        .executeTakeFirst(),
    ),
  );
  const marks = candidates.filter((mark) => mark !== undefined).slice(0, 1);
  return (await loadMarkedNotifications(database.db, marks))[0] ?? null;
}

/** One notification, and the reader that requests it. */
export interface ReaderEntry {
  readonly accountId: string;
  readonly windows: readonly FeedWindow[];
  readonly id: string;
}

/** Returns the entries with their notifications, in the same order, without those whose notification was deleted. */
export async function loadMarkedNotifications(
  db: Kysely<Schema>,
  marks: readonly FeedEntryMark[],
): Promise<readonly FeedEntry[]> {
  if (marks.length === 0) return [];
  const rows = await db
    .selectFrom("notification")
    .selectAll()
    .where(
      "id",
      "in",
      marks.map((mark) => mark.notification_id),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, toNotification(row)]));
  return marks.flatMap((mark) => {
    const notification = byId.get(mark.notification_id);
    return notification === undefined ? [] : [{ notification, readAt: mark.read_at }];
  });
}

function selectWindowEntries(database: FeedDatabase, filter: FeedFilter, window: FeedWindow) {
  let query = selectVisibleEntries(database, filter.accountId, window)
    .select(["feed_entry.notification_id", "feed_read.read_at"])
    .orderBy("feed_entry.notification_id", "desc")
    .limit(filter.limit);
  if (filter.channel !== null) query = query.where("feed_entry.channel", "=", filter.channel);
  if (filter.after !== null) query = query.where("feed_entry.notification_id", "<", filter.after);
  if (!filter.isUnreadOnly) return query;
  return query.where((eb) => database.engine.expectMany(eb("feed_read.read_at", "is", null)));
}

/**
 * Returns a query for the entries of one window, with the read marks of one person and without the entries that they
 * deleted.
 */
export function selectVisibleEntries(
  { db, engine }: FeedDatabase,
  accountId: string,
  { audienceId, startsAt, endsAt }: FeedWindow,
) {
  let query = db
    .selectFrom("feed_entry")
    .leftJoin("feed_read", (join) =>
      join
        .onRef("feed_read.notification_id", "=", "feed_entry.notification_id")
        .on("feed_read.account_id", "=", accountId),
    )
    .where("feed_entry.audience_id", "=", audienceId)
    .where((eb) => engine.expectMany(eb("feed_read.deleted_at", "is", null)));
  // The indexes are on ids, not on times: bounds on the ids end the scan where the window ends.
  if (startsAt !== null) {
    query = query
      .where("feed_entry.notification_id", ">=", toMinId(startsAt))
      .where("feed_entry.created_at", ">=", startsAt);
  }
  if (endsAt !== null) {
    query = query
      .where("feed_entry.notification_id", "<", toMinId(endsAt + ID_AHEAD_MAX_MS))
      .where("feed_entry.created_at", "<", endsAt);
  }
  return query;
}

/**
 * The time in an id may be later than the notification's own time, because ids never decrease. An entry of a window is
 * found if it is at most this much later.
 */
const ID_AHEAD_MAX_MS = 60 * 60 * 1_000;

/** A channel as one person sees it; `lastAt` in milliseconds since the epoch. */
export interface ChannelSummary {
  readonly name: string;
  readonly unread: number;
  readonly total: number;
  readonly lastAt: number;
}

/** Returns the channels of a person's feed, sorted by name. */
export async function listChannels(
  { database }: Context,
  { accountId, windows }: { accountId: string; windows: readonly FeedWindow[] },
): Promise<readonly ChannelSummary[]> {
  const channelsPerWindow = await Promise.all(
    windows.map((window) =>
      selectVisibleEntries(database, accountId, window)
        .select((eb) => [
          "feed_entry.channel as name",
          eb.fn.countAll<number>().as("total"),
          eb.fn.count<number>("feed_read.read_at").as("read"),
          eb.fn.max("feed_entry.created_at").as("lastAt"),
        ])
        .groupBy("feed_entry.channel")
        .execute(),
    ),
  );
  const byName = Map.groupBy(channelsPerWindow.flat(), ({ name }) => name);
  return [...byName]
    .map(([name, channels]) => ({
      name,
      unread: channels.reduce((sum, { total, read }) => sum + total - read, 0),
      total: channels.reduce((sum, { total }) => sum + total, 0),
      lastAt: Math.max(...channels.map(({ lastAt }) => lastAt)),
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
