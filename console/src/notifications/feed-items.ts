import type { FeedItem, Page } from "@tocsin/sdk";

/** The part of the feed that is on the page, newest first. */
export interface FeedItems {
  readonly items: readonly FeedItem[];
  /** Where older ones go on; null where there are none. */
  readonly nextCursor: string | null;
}

/** Nothing yet. */
export const NO_ITEMS: FeedItems = { items: [], nextCursor: null };

/** Returns the items with those in place of what they were, or among the others by age: ids grow with time. */
export function withItems(feed: FeedItems, changed: readonly FeedItem[]): FeedItems {
  const byId = new Map([...feed.items, ...changed].map((item) => [item.id, item]));
  const items = [...byId.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return { ...feed, items };
}

/** Returns the items with the page that follows them. */
export function withOlderPage(feed: FeedItems, page: Page<FeedItem>): FeedItems {
  return { ...withItems(feed, page.items), nextCursor: page.nextCursor };
}

/**
 * Returns the items with the newest page, which may be older than what the live stream told meanwhile. Where it does not
 * reach the known ones below, they go, so that no gap stays unseen.
 */
export function withNewestPage(feed: FeedItems, page: Page<FeedItem>): FeedItems {
  const known = new Set(feed.items.map(({ id }) => id));
  if (page.items.some(({ id }) => known.has(id))) return withItems(feed, page.items);
  const newest = page.items[0]?.id ?? "";
  const told = feed.items.filter(({ id }) => id > newest);
  return { items: [...told, ...page.items], nextCursor: page.nextCursor };
}
