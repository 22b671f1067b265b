import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { selectVisibleEntries, type ReaderEntry, type FeedWindow } from "../store.ts";

/** The reader whose entries are marked as read, and the entries to mark. */
export interface MarkReadInput {
  readonly accountId: string;
  readonly windows: readonly FeedWindow[];
  readonly selection: MarkSelection;
}

/** Notifications by id, or one notification and all older ones, of one channel or of all. */
export type MarkSelection =
  | { readonly ids: readonly string[] }
  | { readonly upTo: string; readonly channel: string | null };

/**
 * Marks the selected entries of an account's feed as read; entries that are already read keep their time. Skips `ids`
 * that are not in the feed. Returns the time in milliseconds since the epoch; null, and marks nothing, if there are no
 * ids or `upTo` is not in the feed.
 */
export async function markRead(context: Context, input: MarkReadInput): Promise<number | null> {
  const { windows, selection } = input;
  const isEmpty =
    "ids" in selection
      ? selection.ids.length === 0
      : !(await isInFeed(context, { ...input, id: selection.upTo }));
  if (isEmpty) return null;
  const readAt = context.now();
  await context.database.atomically(
    windows.map((window) => markInWindowQuery(context, { ...input, window, readAt })),
  );
  return readAt;
}

/** Returns the ids that are in the account's feed and not deleted from it, in their given order. */
export async function findInFeed(
  { database }: Context,
  { accountId, windows, ids }: Omit<ReaderEntry, "id"> & { readonly ids: readonly string[] },
): Promise<readonly string[]> {
  const rows = await Promise.all(
    windows.map((window) =>
      selectVisibleEntries(database, accountId, window)
        .select("feed_entry.notification_id")
        .where("feed_entry.notification_id", "in", ids)
        .execute(),
    ),
  );
  const foundIds = new Set(rows.flat().map((row) => row.notification_id));
  return ids.filter((id) => foundIds.has(id));
}

/** Marks notifications as unread again. Skips deleted ones. */
export async function markUnread(
  { database: { db } }: Context,
  { accountId, ids }: { readonly accountId: string; readonly ids: readonly string[] },
): Promise<void> {
  await db
    .deleteFrom("feed_read")
    .where("account_id", "=", accountId)
    .where("notification_id", "in", ids)
    .where("deleted_at", "is", null)
    .execute();
}

/** Marks all entries with this read time, in milliseconds, as unread again. Returns their ids. */
export async function markUnreadByReadAt(
  { database: { db } }: Context,
  { accountId, readAt }: { readonly accountId: string; readonly readAt: number },
): Promise<readonly string[]> {
  const unmarkedRows = await db
    .deleteFrom("feed_read")
    .where("account_id", "=", accountId)
    .where("read_at", "=", readAt)
    .where("deleted_at", "is", null)
    .returning("notification_id")
    .execute();
  return unmarkedRows.map((mark) => mark.notification_id);
}

/** Removes a notification from one account's feed. Returns false if it is not in the feed. */
export async function deleteEntry(context: Context, input: ReaderEntry): Promise<boolean> {
  const { accountId, id } = input;
  if (!(await isInFeed(context, input))) return false;
  const deletedAt = context.now();
  await context.database.db
    .insertInto("feed_read")
    .values({
      account_id: accountId,
      notification_id: id,
      read_at: deletedAt,
      deleted_at: deletedAt,
    })
    .onConflict((conflict) =>
      conflict.columns(["account_id", "notification_id"]).doUpdateSet({ deleted_at: deletedAt }),
    )
    .execute();
  return true;
}

/** Restores a deleted notification to the account's feed, as read. Returns false if it was not deleted. */
export async function restoreEntry(
  { database: { db } }: Context,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("feed_read")
    .set({ deleted_at: null })
    .where("account_id", "=", accountId)
    .where("notification_id", "=", id)
    .where("deleted_at", "is not", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function isInFeed(context: Context, { id, ...reader }: ReaderEntry): Promise<boolean> {
  return (await findInFeed(context, { ...reader, ids: [id] })).length > 0;
}

/** Returns the query that marks the selected entries of one window as read. */
function markInWindowQuery(
  { database }: Context,
  input: MarkReadInput & { readonly window: FeedWindow; readonly readAt: number },
): Compilable {
  const { accountId, window, selection, readAt } = input;
  let unread = selectVisibleEntries(database, accountId, window)
    .select((eb) => [
      // A bare placeholder in a select list has no type on PostgreSQL.
      sql<string>`cast(${accountId} as text)`.as("account_id"),
      eb.ref("feed_entry.notification_id").as("notification_id"),
      sql<number>`cast(${readAt} as bigint)`.as("read_at"),
    ])
    .where((eb) => database.engine.expectMany(eb("feed_read.read_at", "is", null)));
  if ("ids" in selection) {
    unread = unread.where("feed_entry.notification_id", "in", selection.ids);
  } else {
    unread = unread.where("feed_entry.notification_id", "<=", selection.upTo);
    if (selection.channel !== null)
      unread = unread.where("feed_entry.channel", "=", selection.channel);
  }
  // Sorted, so that two clients of an account cannot deadlock.
  return database.db
    .insertInto("feed_read")
    .columns(["account_id", "notification_id", "read_at"])
    .expression(unread.orderBy("feed_entry.notification_id"))
    .onConflict((conflict) => conflict.doNothing());
}
