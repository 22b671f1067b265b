import type { QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";
import type { FeedFilter } from "./feed-filter.ts";
import { NO_ITEMS } from "./feed-items.ts";
import { createFeedQuery, refreshFeed, applyFeedChange } from "./feed-queries.ts";

/**
 * Marks the newest listed notification and all older ones as read, in the selected channel if there is one. Returns a
 * function that undoes only this; null if nothing was unread.
 */
export async function markAllRead(
  queryClient: QueryClient,
  filter: FeedFilter,
): Promise<(() => Promise<void>) | null> {
  const { items } = queryClient.getQueryData(createFeedQuery(filter).queryKey) ?? NO_ITEMS;
  const [newestItem] = items;
  if (newestItem === undefined) return null;
  const { channel } = filter;
  const channelQuery = { ...(channel !== undefined && { channel }) };
  const listedUnreadItem = items.find(({ readAt }) => readAt === null);
  // After the request, the `readAt` of this item identifies all items that the request marked.
  const unreadItem =
    listedUnreadItem ??
    (await client.feed.list({ ...channelQuery, unread: true, limit: 1 })).items[0];
  const target = { upTo: newestItem.id, ...channelQuery };
  await client.feed.markRead(target);
  applyFeedChange(queryClient, { kind: "read", which: target, readAt: new Date().toISOString() });
  if (unreadItem === undefined) return null;
  const { readAt } = await client.feed.get(unreadItem.id);
  if (readAt === null) return null;
  return async () => {
    await client.feed.markUnread({ readAt });
    refreshFeed(queryClient);
  };
}
