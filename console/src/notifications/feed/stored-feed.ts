import { readStoredAccount } from "../../accounts/stored-account.ts";
import { OFFLINE_CACHE_NAME } from "../../accounts/offline-cache.ts";
import type { FeedItems } from "./feed-items.ts";

/** Maximum number of notifications that are available offline. */
const STORED_ITEMS_MAX = 30;

/** Returns the stored notifications of the account; null if there are none. */
export async function readStoredFeed(accountId: string): Promise<FeedItems | null> {
  if (!("caches" in globalThis)) return null;
  // Unlike `caches.open`, this does not create the cache, which does not exist after a sign-out.
  const response = await caches.match(getCacheKey(accountId), { cacheName: OFFLINE_CACHE_NAME });
  // Only `storeFeed` writes there, and it stores only data from the server.
  return response === undefined ? null : ((await response.json()) as FeedItems);
}

/**
 * Stores the newest notifications of an account, or deletes the stored ones if the feed is empty. Does nothing for a
 * feed that was itself read from the store.
 */
export async function storeFeed(accountId: string, { items, keptAt }: FeedItems): Promise<void> {
  // Nothing is stored for an account that has signed out in the meantime.
  if (keptAt !== undefined || readStoredAccount()?.id !== accountId) return;
  if (items.length === 0) {
    await deleteStoredFeed(accountId);
    return;
  }
  const feed: FeedItems = {
    items: items.slice(0, STORED_ITEMS_MAX),
    nextCursor: null,
    keptAt: new Date().toISOString(),
  };
  const cache = await caches.open(OFFLINE_CACHE_NAME);
  await cache.put(getCacheKey(accountId), Response.json(feed));
}

async function deleteStoredFeed(accountId: string): Promise<void> {
  if (!(await caches.has(OFFLINE_CACHE_NAME))) return;
  const cache = await caches.open(OFFLINE_CACHE_NAME);
  await cache.delete(getCacheKey(accountId));
}

/** Returns the key of the account's feed in the cache. It must be a URL, but is never requested. */
function getCacheKey(accountId: string): string {
  return `/kept/feed/${accountId}`;
}
