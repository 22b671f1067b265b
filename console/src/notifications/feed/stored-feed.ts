import { readStoredAccount } from "../../accounts/stored-account.ts";
import { OFFLINE_CACHE_NAME } from "../../accounts/offline-cache.ts";
import type { FeedItems } from "./feed-items.ts";

/** Maximum number of notifications that are available offline. */
const STORED_ITEMS_MAX = 30;

/** Returns the stored notifications of the account; null if there are none. */
export async function readStoredFeed(accountId: string): Promise<FeedItems | null> {
  if (!("caches" in globalThis)) return null;
  const cache = await caches.open(OFFLINE_CACHE_NAME);
  const response = await cache.match(getCacheKey(accountId));
  // Only `storeFeed` writes there, and it stores only data from the server.
  return response === undefined ? null : ((await response.json()) as FeedItems);
}

/** Stores the newest notifications of an account. Does not store a feed that came from the store. */
export async function storeFeed(accountId: string, { items, keptAt }: FeedItems): Promise<void> {
  // Nothing is stored for an account that has signed out in the meantime.
  if (keptAt !== undefined || readStoredAccount()?.id !== accountId) return;
  const cache = await caches.open(OFFLINE_CACHE_NAME);
  if (items.length === 0) {
    await cache.delete(getCacheKey(accountId));
    return;
  }
  const feed: FeedItems = {
    items: items.slice(0, STORED_ITEMS_MAX),
    nextCursor: null,
    keptAt: new Date().toISOString(),
  };
  await cache.put(getCacheKey(accountId), Response.json(feed));
}

/** Returns the key of the account's feed in the cache. It must be a URL, but is never requested. */
function getCacheKey(accountId: string): string {
  return `/kept/feed/${accountId}`;
}
