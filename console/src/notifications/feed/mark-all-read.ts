import type { QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";
import type { FeedFilter } from "./feed-filter.ts";
import { NO_ITEMS } from "./feed-items.ts";
import { feedQuery, refreshFeed, takeChange } from "./feed-queries.ts";

/**
 * Marks the newest listed notification and all older ones as read, in the chosen channel if there is one. Returns a
 * function that undoes this, but leaves those read before alone; null if nothing was unread.
 */
export async function markAllRead(
  queryClient: QueryClient,
  filter: FeedFilter,
): Promise<(() => Promise<void>) | null> {
  const { items } = queryClient.getQueryData(feedQuery(filter).queryKey) ?? NO_ITEMS;
  const [newest] = items;
  if (newest === undefined) return null;
  const { channel } = filter;
  const named = { ...(channel !== undefined && { channel }) };
  const listed = items.find(({ readAt }) => readAt === null);
  // Its `readAt` is read back afterwards: all were marked at that time.
  const unread = listed ?? (await client.feed.list({ ...named, unread: true, limit: 1 })).items[0];
  const which = { upTo: newest.id, ...named };
  await client.feed.markRead(which);
  takeChange(queryClient, { kind: "read", which, readAt: new Date().toISOString() });
  if (unread === undefined) return null;
  const { readAt } = await client.feed.get(unread.id);
  if (readAt === null) return null;
  return async () => {
    await client.feed.markUnread({ readAt });
    refreshFeed(queryClient);
  };
}
