import { recallAccount } from "../../accounts/kept-account.ts";
import { KEPT_CACHE } from "../../accounts/kept-cache.ts";
import type { FeedItems } from "./feed-items.ts";

/** Notifications that can be read without the server. */
const KEPT_MAX = 30;
/** Returns the notifications that were last stored for the account; null if there are none. */
export async function recallFeed(accountId: string): Promise<FeedItems | null> {
  if (!("caches" in globalThis)) return null;
  const cache = await caches.open(KEPT_CACHE);
  const kept = await cache.match(addressOf(accountId));
  // Only this room writes there, and only what it read from the server.
  return kept === undefined ? null : ((await kept.json()) as FeedItems);
}

/** Stores the newest notifications of an account; those from the store are not stored again. */
export async function writeFeed(accountId: string, { items, keptAt }: FeedItems): Promise<void> {
  // An account that signed out meanwhile leaves nothing behind.
  if (keptAt !== undefined || recallAccount()?.id !== accountId) return;
  const cache = await caches.open(KEPT_CACHE);
  if (items.length === 0) {
    await cache.delete(addressOf(accountId));
    return;
  }
  const feed: FeedItems = {
    items: items.slice(0, KEPT_MAX),
    nextCursor: null,
    keptAt: new Date().toISOString(),
  };
  await cache.put(addressOf(accountId), Response.json(feed));
}

/** A cache needs addresses as keys; this one is never requested. */
function addressOf(accountId: string): string {
  return `/kept/feed/${accountId}`;
}
