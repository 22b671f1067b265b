import type { QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";
import type { FeedFilter } from "./feed-filter.ts";
import { NO_ITEMS } from "./feed-items.ts";
import { feedQuery, refreshFeed, takeChange } from "./feed-queries.ts";

/**
 * Marks the newest notification that is listed and all older ones, of its channel where one is chosen, as read. Returns
 * what takes that back, and nothing that was read before; null where nothing was unread.
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
  // One of them tells afterwards at which moment all were marked.
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
