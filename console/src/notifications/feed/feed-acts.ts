import type { QueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { client } from "../../client.ts";
import { refreshFeed, takeChange } from "./feed-queries.ts";

/** Requests in progress at once. */
const AT_ONCE = 8;

/** Marks at most 1,000 notifications as read. */
export async function markItemsRead(
  queryClient: QueryClient,
  items: readonly FeedItem[],
): Promise<void> {
  const which = { ids: idsOf(items) };
  await client.feed.markRead(which);
  takeChange(queryClient, { kind: "read", which, readAt: new Date().toISOString() });
}

/** Marks at most 1,000 notifications as unread again. */
export async function markItemsUnread(
  queryClient: QueryClient,
  items: readonly FeedItem[],
): Promise<void> {
  const ids = idsOf(items);
  await client.feed.markUnread({ ids });
  takeChange(queryClient, { kind: "unread", ids });
}

/** Removes notifications from the feed. */
export async function deleteItems(
  queryClient: QueryClient,
  items: readonly FeedItem[],
): Promise<void> {
  await eachOf(queryClient, items, async ({ id }) => client.feed.remove(id));
  takeChange(queryClient, { kind: "deleted", ids: idsOf(items) });
}

/** Puts removed notifications back, unread if they were. */
export async function restoreItems(
  queryClient: QueryClient,
  items: readonly FeedItem[],
): Promise<void> {
  await eachOf(queryClient, items, async ({ id }) => client.feed.restore(id));
  const unread = idsOf(items.filter(({ readAt }) => readAt === null));
  if (unread.length > 0) await client.feed.markUnread({ ids: unread });
  refreshFeed(queryClient);
}

function idsOf(items: readonly FeedItem[]): readonly string[] {
  return items.map(({ id }) => id);
}

async function eachOf(
  queryClient: QueryClient,
  items: readonly FeedItem[],
  act: (item: FeedItem) => Promise<void>,
): Promise<void> {
  try {
    for (let start = 0; start < items.length; start += AT_ONCE) {
      await Promise.all(items.slice(start, start + AT_ONCE).map(act));
    }
  } catch (error) {
    // Some of the requests may have succeeded.
    refreshFeed(queryClient);
    throw error;
  }
}
