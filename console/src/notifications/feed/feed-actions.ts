import type { QueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { client } from "../../client.ts";
import { refreshFeed, applyFeedChange } from "./feed-queries.ts";

/** Maximum number of concurrent requests. */
const CONCURRENT_REQUESTS_MAX = 8;

/** Marks up to 1,000 notifications as read. */
export async function markItemsRead(
  queryClient: QueryClient,
  items: readonly FeedItem[],
): Promise<void> {
  const target = { ids: getIds(items) };
  await client.feed.markRead(target);
  applyFeedChange(queryClient, { kind: "read", which: target, readAt: new Date().toISOString() });
}

/** Marks up to 1,000 notifications as unread. */
export async function markItemsUnread(
  queryClient: QueryClient,
  items: readonly FeedItem[],
): Promise<void> {
  const ids = getIds(items);
  await client.feed.markUnread({ ids });
  applyFeedChange(queryClient, { kind: "unread", ids });
}

/** Deletes notifications from the feed. */
export async function deleteItems(
  queryClient: QueryClient,
  items: readonly FeedItem[],
): Promise<void> {
  await forEachItem(queryClient, items, async ({ id }) => client.feed.remove(id));
  applyFeedChange(queryClient, { kind: "deleted", ids: getIds(items) });
}

/** Restores deleted notifications. Notifications that were unread become unread again. */
export async function restoreItems(
  queryClient: QueryClient,
  items: readonly FeedItem[],
): Promise<void> {
  await forEachItem(queryClient, items, async ({ id }) => client.feed.restore(id));
  const unreadIds = getIds(items.filter(({ readAt }) => readAt === null));
  if (unreadIds.length > 0) await client.feed.markUnread({ ids: unreadIds });
  refreshFeed(queryClient);
}

function getIds(items: readonly FeedItem[]): readonly string[] {
  return items.map(({ id }) => id);
}

async function forEachItem(
  queryClient: QueryClient,
  items: readonly FeedItem[],
  action: (item: FeedItem) => Promise<void>,
): Promise<void> {
  try {
    for (let start = 0; start < items.length; start += CONCURRENT_REQUESTS_MAX) {
      await Promise.all(items.slice(start, start + CONCURRENT_REQUESTS_MAX).map(action));
    }
  } catch (error) {
    // Some of the requests may have succeeded.
    refreshFeed(queryClient);
    throw error;
  }
}
