import { recallAccount } from "../../accounts/kept-account.ts";
import { KEPT_CACHE } from "../../accounts/kept-cache.ts";
import type { FeedItems } from "./feed-items.ts";

/** So many notifications can be read without the server. */
const KEPT_MAX = 30;
/** Returns the notifications as they were last kept for the account, null where there are none. */
export async function recallFeed(accountId: string): Promise<FeedItems | null> {
  if (!("caches" in globalThis)) return null;
  const cache = await caches.open(KEPT_CACHE);
  const kept = await cache.match(addressOf(accountId));
  // This room alone writes there, what it read from the server.
  return kept === undefined ? null : ((await kept.json()) as FeedItems);
}

/** Keeps the newest notifications of an account; what was kept is not kept again. */
export async function writeFeed(accountId: string, { items, keptAt }: FeedItems): Promise<void> {
  // Somebody who signed out meanwhile leaves nothing behind.
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

/** A cache wants addresses; nothing is ever asked there. */
function addressOf(accountId: string): string {
  return `/kept/feed/${accountId}`;
}
