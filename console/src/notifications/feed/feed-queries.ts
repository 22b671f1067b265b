import type { FeedChange, FeedItem } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { sessionQuery } from "../../accounts/session.ts";
import { client } from "../../client.ts";
import { isMissing, isUnreachable } from "../../errors.ts";
import { isEverything, isWithin, queryOf, type FeedFilter } from "./feed-filter.ts";
import {
  afterChange,
  isNamed,
  isWhole,
  NO_ITEMS,
  withItems,
  withNewest,
  withOlderPage,
  type FeedItems,
} from "./feed-items.ts";
import { recallFeed } from "./kept-feed.ts";

const PAGE_LENGTH = 100;
/** Pages that a refetch loads at most, down to what is on the screen. */
const PAGES_ANEW_MAX = 50;
/** Notifications that a list keeps in memory; a search or a filter finds older ones. */
export const ITEMS_MAX = 20_000;
/** Shortest interval of requests for the counts, in a burst of notifications. */
const COUNT_EVERY_MS = 200;

const LISTS = ["feed", "items"] as const;

/** Returns the query for the newest notifications of a part of the feed, down to what is on the screen. */
export function feedQuery(filter: FeedFilter) {
  return queryOptions({
    queryKey: [...LISTS, filter],
    queryFn: async ({ client: queryClient, signal }): Promise<FeedItems> => {
      const deepest = queryClient.getQueryData(depthKey(filter));
      try {
        const fresh = await newestDownTo(filter, deepest, signal);
        const { items, ...rest } = known(queryClient, filter);
        const told = items.filter((item) => filter.unread !== true || item.readAt === null);
        return withNewest({ ...rest, items: told }, fresh);
      } catch (error) {
        const kept = isUnreachable(error) ? await keptOf(queryClient, filter) : null;
        if (kept === null) throw error;
        return kept;
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
  const listed = () =>
    queryClient
      .getQueriesData<FeedItems>({ queryKey: LISTS })
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
      const item = listed();
      return item !== undefined && isWhole(item) ? item : undefined;
    },
    placeholderData: listed,
  });
}

/** Refetches everything that the feed shows. */
export function refreshFeed(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: ["feed"] });
}

/** Adds a new notification to the cached lists. */
export function takeNotification(queryClient: QueryClient, item: FeedItem): void {
  changeLists(queryClient, (feed, filter) => {
    // A notification older than all listed ones stays out of the list, which has no gaps.
    const oldest = feed.nextCursor === null ? "" : (feed.items.at(-1)?.id ?? "");
    return item.id >= oldest && isWithin(filter, item) ? withItems(feed, [item]) : feed;
  });
  refreshCounts(queryClient);
}

/** Applies a change that the account made to its feed, here or elsewhere. */
export function takeChange(queryClient: QueryClient, change: FeedChange): void {
  if (change.kind === "restored") {
    refreshFeed(queryClient);
    return;
  }
  changeLists(queryClient, (feed) => afterChange(feed, change) ?? feed);
  for (const [queryKey, item] of queryClient.getQueriesData<FeedItem | null>({
    queryKey: ["feed", "one"],
  })) {
    if (item !== undefined && item !== null) {
      queryClient.setQueryData(queryKey, changedItem(item, change));
    }
  }
  if (change.kind === "unread") refreshUnread(queryClient);
  // An answer in progress may be older than the change.
  void queryClient.invalidateQueries({
    queryKey: ["feed"],
    predicate: ({ state }) => state.fetchStatus === "fetching",
  });
  refreshCounts(queryClient);
}

/** Adds the page below the oldest known notification. */
export async function loadOlder(queryClient: QueryClient, filter: FeedFilter): Promise<void> {
  const cursor = known(queryClient, filter).nextCursor;
  if (cursor === null) return;
  const page = await client.feed.list({ ...queryOf(filter), limit: PAGE_LENGTH, cursor });
  queryClient.setQueryData(feedQuery(filter).queryKey, (feed = NO_ITEMS) =>
    // Another list may have taken its place meanwhile.
    feed.nextCursor === cursor ? withOlderPage(feed, page) : feed,
  );
}

/** Remembers how far down the list is read, by the id of the last notification on the screen. */
export function rememberDepth(queryClient: QueryClient, filter: FeedFilter, id: string): void {
  queryClient.setQueryData(depthKey(filter), id);
}

/** Marks one notification as read. */
export async function markRead(queryClient: QueryClient, { id }: FeedItem): Promise<void> {
  const which = { ids: [id] };
  await client.feed.markRead(which);
  takeChange(queryClient, { kind: "read", which, readAt: readNow() });
}

/** Marks one notification as unread again. */
export async function markUnread(queryClient: QueryClient, { id }: FeedItem): Promise<void> {
  await client.feed.markUnread({ ids: [id] });
  takeChange(queryClient, { kind: "unread", ids: [id] });
}

/** Known items are newer than stored ones. */
async function keptOf(queryClient: QueryClient, filter: FeedFilter): Promise<FeedItems | null> {
  const account = queryClient.getQueryData(sessionQuery.queryKey) ?? null;
  const isKnown = known(queryClient, filter).items.length > 0;
  return account === null || isKnown || !isEverything(filter) ? null : recallFeed(account.id);
}

async function newestDownTo(
  filter: FeedFilter,
  deepest: string | undefined,
  signal: AbortSignal,
): Promise<FeedItems> {
  const query = { ...queryOf(filter), limit: PAGE_LENGTH };
  let feed = withOlderPage(NO_ITEMS, await client.feed.list(query, { signal }));
  for (let pages = 1; pages < PAGES_ANEW_MAX; pages += 1) {
    const { items, nextCursor: cursor } = feed;
    const isThere = deepest === undefined || (items.at(-1)?.id ?? "") <= deepest;
    if (cursor === null || isThere) break;
    feed = withOlderPage(feed, await client.feed.list({ ...query, cursor }, { signal }));
  }
  return feed;
}

function depthKey(filter: FeedFilter) {
  // Typed key, so that reading its value needs no cast.
  return queryOptions<string>({ queryKey: ["feed-depth", filter] }).queryKey;
}

function known(queryClient: QueryClient, filter: FeedFilter): FeedItems {
  return queryClient.getQueryData(feedQuery(filter).queryKey) ?? NO_ITEMS;
}

function changeLists(
  queryClient: QueryClient,
  change: (feed: FeedItems, filter: FeedFilter) => FeedItems,
): void {
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: LISTS })) {
    // Only `feedQuery` makes keys with this beginning.
    const filter = queryKey[2] as FeedFilter;
    queryClient.setQueryData(feedQuery(filter).queryKey, (feed) =>
      feed === undefined ? undefined : change(feed, filter),
    );
  }
}

function changedItem(item: FeedItem, change: FeedChange): FeedItem | null {
  if (change.kind === "read") {
    const isRead = item.readAt === null && isNamed(change.which, item);
    return isRead ? { ...item, readAt: change.readAt } : item;
  }
  if (!change.ids.includes(item.id)) return item;
  return change.kind === "deleted" ? null : { ...item, readAt: null };
}

/** A list of unread items lacks those that were read when it was fetched. */
function refreshUnread(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({
    queryKey: LISTS,
    // Only `feedQuery` makes keys with this beginning.
    predicate: ({ queryKey }) => (queryKey[2] as FeedFilter).unread === true,
  });
}

const counting = new WeakSet<QueryClient>();

function refreshCounts(queryClient: QueryClient): void {
  if (counting.has(queryClient)) return;
  counting.add(queryClient);
  setTimeout(() => {
    counting.delete(queryClient);
    void queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey });
  }, COUNT_EVERY_MS);
}

/** The time is used until the live stream brings the server's own. */
function readNow(): string {
  return new Date().toISOString();
}
