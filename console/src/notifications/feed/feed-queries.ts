import type { FeedChange, FeedItem } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { sessionQuery } from "../../accounts/session.ts";
import { client } from "../../client.ts";
import { isNotFound, isUnreachable } from "../../errors.ts";
import { isUnfiltered, matchesFilter, toFeedQuery, type FeedFilter } from "./feed-filter.ts";
import {
  applyChange,
  matchesTarget,
  hasCompleteText,
  NO_ITEMS,
  mergeItems,
  mergeFreshFeed,
  appendPage,
  type FeedItems,
} from "./feed-items.ts";
import { readStoredFeed } from "./stored-feed.ts";

const PAGE_SIZE = 100;
/** Maximum number of pages in a refetch, which loads all notifications down to the last one on the screen. */
const REFETCHED_PAGES_MAX = 50;
/** Maximum number of notifications in memory. A search or a filter finds older ones. */
export const ITEMS_MAX = 20_000;
/** Delay before the unread counts are refetched, so that a burst of notifications causes one request. */
const UNREAD_COUNTS_DELAY_MS = 200;

const LISTS_KEY = ["feed", "items"] as const;

/**
 * Returns the query for the newest notifications that match a filter, down to the last one on the screen. If the server
 * is unreachable, returns the stored feed if there is one.
 */
export function createFeedQuery(filter: FeedFilter) {
  return queryOptions({
    queryKey: [...LISTS_KEY, filter],
    queryFn: async ({ client: queryClient, signal }): Promise<FeedItems> => {
      const lastVisibleId = queryClient.getQueryData(createScrollDepthKey(filter));
      try {
        const freshFeed = await fetchFeedDownTo(filter, lastVisibleId, signal);
        const { items, ...cachedState } = getCachedFeed(queryClient, filter);
        const currentItems = items.filter((item) => filter.unread !== true || item.readAt === null);
        return mergeFreshFeed({ ...cachedState, items: currentItems }, freshFeed);
      } catch (error) {
        const storedFeed = isUnreachable(error) ? await findStoredFeed(queryClient, filter) : null;
        if (storedFeed === null) throw error;
        return storedFeed;
      }
    },
  });
}

/** Query for the number of unread notifications of each channel. */
export const channelsQuery = queryOptions({
  queryKey: ["feed", "channels"],
  queryFn: async ({ signal }) => (await client.channels.list({ signal })).items,
});

/**
 * Returns the query for one notification; null if it is no longer in the feed. If an incident has replaced the
 * notification, the server returns the newer one, which has another id.
 */
export function createNotificationQuery(queryClient: QueryClient, id: string) {
  const findListedItem = () =>
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
        if (isNotFound(error)) return null;
        throw error;
      }
    },
    initialData: () => {
      const item = findListedItem();
      return item !== undefined && hasCompleteText(item) ? item : undefined;
    },
    placeholderData: findListedItem,
  });
}

/** Refetches all data of the feed. */
export function refreshFeed(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: ["feed"] });
}

/** Adds a new notification to the cached lists. */
export function addNotification(queryClient: QueryClient, item: FeedItem): void {
  updateLists(queryClient, (feed, filter) => {
    // A notification older than all loaded ones is not added, because the list must have no gaps.
    const oldestId = feed.nextCursor === null ? "" : (feed.items.at(-1)?.id ?? "");
    return item.id >= oldestId && matchesFilter(filter, item) ? mergeItems(feed, [item]) : feed;
  });
  refreshUnreadCounts(queryClient);
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
  refreshUnreadCounts(queryClient);
}

/** Loads the next page of older notifications. */
export async function loadOlderItems(queryClient: QueryClient, filter: FeedFilter): Promise<void> {
  const cursor = getCachedFeed(queryClient, filter).nextCursor;
  if (cursor === null) return;
  const page = await client.feed.list({ ...toFeedQuery(filter), limit: PAGE_SIZE, cursor });
  queryClient.setQueryData(createFeedQuery(filter).queryKey, (feed = NO_ITEMS) =>
    // The list may have been refetched in the meantime.
    feed.nextCursor === cursor ? appendPage(feed, page) : feed,
  );
}

/** Stores how far the reader has scrolled: the id of the last notification on the screen. */
export function storeScrollDepth(queryClient: QueryClient, filter: FeedFilter, id: string): void {
  queryClient.setQueryData(createScrollDepthKey(filter), id);
}

/** Marks a notification as read. */
export async function markRead(queryClient: QueryClient, { id }: FeedItem): Promise<void> {
  const target = { ids: [id] };
  await client.feed.markRead(target);
  applyFeedChange(queryClient, { kind: "read", which: target, readAt: formatCurrentTime() });
}

/** Marks a notification as unread. */
export async function markUnread(queryClient: QueryClient, { id }: FeedItem): Promise<void> {
  await client.feed.markUnread({ ids: [id] });
  applyFeedChange(queryClient, { kind: "unread", ids: [id] });
}

/** Returns the stored feed; null if the cache has newer items or the feed is filtered. */
async function findStoredFeed(
  queryClient: QueryClient,
  filter: FeedFilter,
): Promise<FeedItems | null> {
  const account = queryClient.getQueryData(sessionQuery.queryKey) ?? null;
  const isCached = getCachedFeed(queryClient, filter).items.length > 0;
  return account === null || isCached || !isUnfiltered(filter) ? null : readStoredFeed(account.id);
}

async function fetchFeedDownTo(
  filter: FeedFilter,
  lastVisibleId: string | undefined,
  signal: AbortSignal,
): Promise<FeedItems> {
  const query = { ...toFeedQuery(filter), limit: PAGE_SIZE };
  let feed = appendPage(NO_ITEMS, await client.feed.list(query, { signal }));
  for (let pageCount = 1; pageCount < REFETCHED_PAGES_MAX; pageCount += 1) {
    const { items, nextCursor: cursor } = feed;
    const isDeepEnough = lastVisibleId === undefined || (items.at(-1)?.id ?? "") <= lastVisibleId;
    if (cursor === null || isDeepEnough) break;
    feed = appendPage(feed, await client.feed.list({ ...query, cursor }, { signal }));
  }
  return feed;
}

function createScrollDepthKey(filter: FeedFilter) {
  // `queryOptions` types the key, so that reading its value needs no cast.
  return queryOptions<string>({ queryKey: ["feed-depth", filter] }).queryKey;
}

function getCachedFeed(queryClient: QueryClient, filter: FeedFilter): FeedItems {
  return queryClient.getQueryData(createFeedQuery(filter).queryKey) ?? NO_ITEMS;
}

function updateLists(
  queryClient: QueryClient,
  change: (feed: FeedItems, filter: FeedFilter) => FeedItems,
): void {
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: LISTS_KEY })) {
    // Only `createFeedQuery` creates keys with this prefix.
    const filter = queryKey[2] as FeedFilter;
    queryClient.setQueryData(createFeedQuery(filter).queryKey, (feed) =>
      feed === undefined ? undefined : change(feed, filter),
    );
  }
}

function applyChangeToItem(item: FeedItem, change: FeedChange): FeedItem | null {
  if (change.kind === "read") {
    const becomesRead = item.readAt === null && matchesTarget(change.which, item);
    return becomesRead ? { ...item, readAt: change.readAt } : item;
  }
  if (!change.ids.includes(item.id)) return item;
  return change.kind === "deleted" ? null : { ...item, readAt: null };
}

/** Refetches lists of unread items: they lack items that were read when they were fetched. */
function refreshUnreadLists(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({
    queryKey: LISTS_KEY,
    // Only `createFeedQuery` creates keys with this prefix.
    predicate: ({ queryKey }) => (queryKey[2] as FeedFilter).unread === true,
  });
}

const clientsWithPendingRefresh = new WeakSet<QueryClient>();

function refreshUnreadCounts(queryClient: QueryClient): void {
  if (clientsWithPendingRefresh.has(queryClient)) return;
  clientsWithPendingRefresh.add(queryClient);
  setTimeout(() => {
    clientsWithPendingRefresh.delete(queryClient);
    void queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey });
  }, UNREAD_COUNTS_DELAY_MS);
}

/** Returns the current time, which the page shows until the live stream delivers the server's time. */
function formatCurrentTime(): string {
  return new Date().toISOString();
}
