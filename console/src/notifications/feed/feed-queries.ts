import type { FeedChange, FeedItem } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { sessionQuery } from "../../accounts/session.ts";
import { client } from "../../client.ts";
import { isMissing, isUnreachable } from "../../errors.ts";
import { isUnfiltered, matchesFilter, toFeedQuery, type FeedFilter } from "./feed-filter.ts";
import {
  applyChange,
  isTargeted,
  isComplete,
  NO_ITEMS,
  mergeItems,
  mergeNewest,
  appendPage,
  type FeedItems,
} from "./feed-items.ts";
import { readStoredFeed } from "./stored-feed.ts";

const PAGE_LENGTH = 100;
/** Maximum number of pages in a refetch, which loads all notifications down to the last one on the screen. */
const REFETCHED_PAGES_MAX = 50;
/** Maximum number of notifications in memory. A search or a filter finds older ones. */
export const ITEMS_MAX = 20_000;
/** Delay before the counts are refetched, so that a burst of notifications causes one request. */
const COUNT_DELAY_MS = 200;

const LISTS_KEY = ["feed", "items"] as const;

/** Returns the query for the newest notifications that match a filter, down to the last one on the screen. */
export function feedQuery(filter: FeedFilter) {
  return queryOptions({
    queryKey: [...LISTS_KEY, filter],
    queryFn: async ({ client: queryClient, signal }): Promise<FeedItems> => {
      const deepest = queryClient.getQueryData(depthKey(filter));
      try {
        const fresh = await fetchDownTo(filter, deepest, signal);
        const { items, ...rest } = cachedFeed(queryClient, filter);
        const current = items.filter((item) => filter.unread !== true || item.readAt === null);
        return mergeNewest({ ...rest, items: current }, fresh);
      } catch (error) {
        const stored = isUnreachable(error) ? await storedFeedFor(queryClient, filter) : null;
        if (stored === null) throw error;
        return stored;
      }
    },
  });
}

/** Query for the number of unread notifications of each channel. */
export const channelsQuery = queryOptions({
  queryKey: ["feed", "channels"],
  queryFn: async ({ signal }) => (await client.channels.list({ signal })).items,
});

/** Returns the query for one notification; null if it is no longer in the feed. */
export function notificationQuery(queryClient: QueryClient, id: string) {
  const findListed = () =>
    queryClient
      .getQueriesData<FeedItems>({ queryKey: LISTS_KEY })
      .flatMap(([, feed]) => feed?.items ?? [])
      .find((item) => item.id === id);
  return queryOptions({
    queryKey: ["feed", "one", id],
    queryFn: async ({ signal }): Promise<FeedItem | null> => {
      try {
        return await client.feed.get(id, { signal });
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    initialData: () => {
      const item = findListed();
      return item !== undefined && isComplete(item) ? item : undefined;
    },
    placeholderData: findListed,
  });
}

/** Refetches all data of the feed. */
export function refreshFeed(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: ["feed"] });
}

/** Adds a new notification to the cached lists. */
export function applyNotification(queryClient: QueryClient, item: FeedItem): void {
  updateLists(queryClient, (feed, filter) => {
    // A notification older than all loaded ones is not added, because the list must have no gaps.
    const oldest = feed.nextCursor === null ? "" : (feed.items.at(-1)?.id ?? "");
    return item.id >= oldest && matchesFilter(filter, item) ? mergeItems(feed, [item]) : feed;
  });
  refreshCounts(queryClient);
}

/** Applies a change to the account's feed, made here or elsewhere. */
export function applyFeedChange(queryClient: QueryClient, change: FeedChange): void {
  if (change.kind === "restored") {
    refreshFeed(queryClient);
    return;
  }
  updateLists(queryClient, (feed) => applyChange(feed, change) ?? feed);
  for (const [queryKey, item] of queryClient.getQueriesData<FeedItem | null>({
    queryKey: ["feed", "one"],
  })) {
    if (item !== undefined && item !== null) {
      queryClient.setQueryData(queryKey, applyChangeToItem(item, change));
    }
  }
  if (change.kind === "unread") refreshUnreadLists(queryClient);
  // A response in progress may be older than the change.
  void queryClient.invalidateQueries({
    queryKey: ["feed"],
    predicate: ({ state }) => state.fetchStatus === "fetching",
  });
  refreshCounts(queryClient);
}

/** Loads the next page of older notifications. */
export async function loadOlder(queryClient: QueryClient, filter: FeedFilter): Promise<void> {
  const cursor = cachedFeed(queryClient, filter).nextCursor;
  if (cursor === null) return;
  const page = await client.feed.list({ ...toFeedQuery(filter), limit: PAGE_LENGTH, cursor });
  queryClient.setQueryData(feedQuery(filter).queryKey, (feed = NO_ITEMS) =>
    // The list may have been refetched in the meantime.
    feed.nextCursor === cursor ? appendPage(feed, page) : feed,
  );
}

/** Stores how far the reader has scrolled: the id of the last notification on the screen. */
export function storeDepth(queryClient: QueryClient, filter: FeedFilter, id: string): void {
  queryClient.setQueryData(depthKey(filter), id);
}

/** Marks a notification as read. */
export async function markRead(queryClient: QueryClient, { id }: FeedItem): Promise<void> {
  const target = { ids: [id] };
  await client.feed.markRead(target);
  applyFeedChange(queryClient, { kind: "read", which: target, readAt: currentTime() });
}

/** Marks a notification as unread. */
export async function markUnread(queryClient: QueryClient, { id }: FeedItem): Promise<void> {
  await client.feed.markUnread({ ids: [id] });
  applyFeedChange(queryClient, { kind: "unread", ids: [id] });
}

/** Returns the stored feed; null if the cache has newer items or the feed is filtered. */
async function storedFeedFor(
  queryClient: QueryClient,
  filter: FeedFilter,
): Promise<FeedItems | null> {
  const account = queryClient.getQueryData(sessionQuery.queryKey) ?? null;
  const isCached = cachedFeed(queryClient, filter).items.length > 0;
  return account === null || isCached || !isUnfiltered(filter) ? null : readStoredFeed(account.id);
}

async function fetchDownTo(
  filter: FeedFilter,
  deepest: string | undefined,
  signal: AbortSignal,
): Promise<FeedItems> {
  const query = { ...toFeedQuery(filter), limit: PAGE_LENGTH };
  let feed = appendPage(NO_ITEMS, await client.feed.list(query, { signal }));
  for (let pages = 1; pages < REFETCHED_PAGES_MAX; pages += 1) {
    const { items, nextCursor: cursor } = feed;
    const isComplete = deepest === undefined || (items.at(-1)?.id ?? "") <= deepest;
    if (cursor === null || isComplete) break;
    feed = appendPage(feed, await client.feed.list({ ...query, cursor }, { signal }));
  }
  return feed;
}

function depthKey(filter: FeedFilter) {
  // `queryOptions` types the key, so that reading its value needs no cast.
  return queryOptions<string>({ queryKey: ["feed-depth", filter] }).queryKey;
}

function cachedFeed(queryClient: QueryClient, filter: FeedFilter): FeedItems {
  return queryClient.getQueryData(feedQuery(filter).queryKey) ?? NO_ITEMS;
}

function updateLists(
  queryClient: QueryClient,
  change: (feed: FeedItems, filter: FeedFilter) => FeedItems,
): void {
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: LISTS_KEY })) {
    // Only `feedQuery` creates keys with this prefix.
    const filter = queryKey[2] as FeedFilter;
    queryClient.setQueryData(feedQuery(filter).queryKey, (feed) =>
      feed === undefined ? undefined : change(feed, filter),
    );
  }
}

function applyChangeToItem(item: FeedItem, change: FeedChange): FeedItem | null {
  if (change.kind === "read") {
    const isRead = item.readAt === null && isTargeted(change.which, item);
    return isRead ? { ...item, readAt: change.readAt } : item;
  }
  if (!change.ids.includes(item.id)) return item;
  return change.kind === "deleted" ? null : { ...item, readAt: null };
}

/** Refetches lists of unread items: they lack items that were read when they were fetched. */
function refreshUnreadLists(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({
    queryKey: LISTS_KEY,
    // Only `feedQuery` creates keys with this prefix.
    predicate: ({ queryKey }) => (queryKey[2] as FeedFilter).unread === true,
  });
}

const pendingCounts = new WeakSet<QueryClient>();

function refreshCounts(queryClient: QueryClient): void {
  if (pendingCounts.has(queryClient)) return;
  pendingCounts.add(queryClient);
  setTimeout(() => {
    pendingCounts.delete(queryClient);
    void queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey });
  }, COUNT_DELAY_MS);
}

/** Returns the time to show until the live stream delivers the server's time. */
function currentTime(): string {
  return new Date().toISOString();
}
