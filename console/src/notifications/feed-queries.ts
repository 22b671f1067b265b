import type { FeedItem } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import {
  NO_ITEMS,
  withItems,
  withNewestPage,
  withOlderPage,
  type FeedItems,
} from "./feed-items.ts";
import { findInFeed } from "./find-in-feed.ts";

const PAGE_LENGTH = 30;

/** Asks for the newest notifications; those known already stay below them. */
export const feedQuery = queryOptions({
  queryKey: ["feed", "items"],
  queryFn: async ({ client: queryClient, signal }): Promise<FeedItems> => {
    const page = await client.feed.list({ limit: PAGE_LENGTH }, { signal });
    return withNewestPage(known(queryClient), page);
  },
});

/** Asks how many notifications of each channel are unread. */
export const channelsQuery = queryOptions({
  queryKey: ["feed", "channels"],
  queryFn: async ({ signal }) => (await client.channels.list({ signal })).items,
});

/** Asks for one notification, null for one that is no longer in the feed. */
export function notificationQuery(id: string) {
  return queryOptions({
    queryKey: ["feed", "one", id],
    queryFn: ({ client: queryClient }) => findInFeed(known(queryClient).items, id),
  });
}

/** Asks anew for all that the feed shows. */
export function refreshFeed(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: ["feed"] });
}

/** Takes in a notification that came or changed. */
export function takeNotification(queryClient: QueryClient, item: FeedItem): void {
  put(queryClient, [item]);
  void queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey });
}

/** Adds the page below the oldest notification that is known. */
export async function loadOlder(queryClient: QueryClient): Promise<void> {
  const cursor = known(queryClient).nextCursor;
  if (cursor === null) return;
  const page = await client.feed.list({ limit: PAGE_LENGTH, cursor });
  queryClient.setQueryData(feedQuery.queryKey, (feed = NO_ITEMS) => withOlderPage(feed, page));
}

/** Marks one notification as read. */
export async function markRead(queryClient: QueryClient, item: FeedItem): Promise<void> {
  await client.feed.markRead({ ids: [item.id] });
  takeNotification(queryClient, { ...item, readAt: readNow() });
}

/** Marks the newest known notification and all older ones as read. */
export async function markAllRead(queryClient: QueryClient): Promise<void> {
  const { items } = known(queryClient);
  const newest = items[0];
  if (newest === undefined) return;
  await client.feed.markRead({ upTo: newest.id });
  const readAt = readNow();
  const unread = items.filter((item) => item.readAt === null && item.id <= newest.id);
  put(
    queryClient,
    unread.map((item) => ({ ...item, readAt })),
  );
  void queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey });
}

function known(queryClient: QueryClient): FeedItems {
  return queryClient.getQueryData(feedQuery.queryKey) ?? NO_ITEMS;
}

/** One below the oldest that is listed stays out of the list, which has no gaps. */
function put(queryClient: QueryClient, changed: readonly FeedItem[]): void {
  queryClient.setQueryData(feedQuery.queryKey, (feed) => {
    if (feed === undefined) return undefined;
    const oldest = feed.nextCursor === null ? "" : (feed.items.at(-1)?.id ?? "");
    return withItems(
      feed,
      changed.filter(({ id }) => id >= oldest),
    );
  });
  for (const item of changed) {
    queryClient.setQueryData(notificationQuery(item.id).queryKey, item);
  }
}

/** Until the live stream brings the server's own moment. */
function readNow(): string {
  return new Date().toISOString();
}
