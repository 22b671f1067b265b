import type { QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";
import type { FeedFilter } from "./feed-filter.ts";
import { NO_ITEMS } from "./feed-items.ts";
import { feedQuery, refreshFeed, applyFeedChange } from "./feed-queries.ts";

/**
 * Marks the newest listed notification and all older ones as read, in the selected channel if there is one. Returns a
 * function that undoes only this; null if nothing was unread.
 */
export async function markAllRead(
  queryClient: QueryClient,
  filter: FeedFilter,
): Promise<(() => Promise<void>) | null> {
  const { items } = queryClient.getQueryData(feedQuery(filter).queryKey) ?? NO_ITEMS;
  const [newest] = items;
  if (newest === undefined) return null;
  const { channel } = filter;
  const channelQuery = { ...(channel !== undefined && { channel }) };
  const listedUnread = items.find(({ readAt }) => readAt === null);
  // Afterwards, its `readAt` identifies everything that this request marked.
  const unread =
    listedUnread ?? (await client.feed.list({ ...channelQuery, unread: true, limit: 1 })).items[0];
  const target = { upTo: newest.id, ...channelQuery };
  await client.feed.markRead(target);
  applyFeedChange(queryClient, { kind: "read", which: target, readAt: new Date().toISOString() });
  if (unread === undefined) return null;
  const { readAt } = await client.feed.get(unread.id);
  if (readAt === null) return null;
  return async () => {
    await client.feed.markUnread({ readAt });
    refreshFeed(queryClient);
  };
}
