import type { FeedChange, FeedItem, Page } from "@tocsin/sdk";

/** The loaded notifications of the feed, newest first. */
export interface FeedItems {
  readonly items: readonly FeedItem[];
  /** Cursor for older notifications; null if there are none. */
  readonly nextCursor: string | null;
  /** Time at which this browser stored the items; set only for stored items, shown while the server is unreachable. */
  readonly keptAt?: string;
}

/** An empty feed. */
export const NO_ITEMS: FeedItems = { items: [], nextCursor: null };

/** Maximum length of a body in a list, in characters. Thousands of long texts would need too much memory. */
const PREVIEW_LENGTH_MAX = 500;

/** Returns a notification with a truncated body, for lists. */
function toPreview(item: FeedItem): FeedItem {
  if (hasCompleteText(item)) return item;
  return { ...item, body: item.body.slice(0, PREVIEW_LENGTH_MAX) };
}

/** Returns whether a list item certainly has the complete text of its notification. */
export function hasCompleteText({ body }: FeedItem): boolean {
  return body.length < PREVIEW_LENGTH_MAX;
}

/** Returns the feed with changed items replaced and new ones inserted by age. Ids increase with time. */
export function mergeItems(feed: FeedItems, changed: readonly FeedItem[]): FeedItems {
  if (changed.length === 0) return feed;
  const changedById = new Map(changed.map((item) => [item.id, toPreview(item)]));
  const updatedItems = feed.items.map((item) => {
    const update = changedById.get(item.id);
    changedById.delete(item.id);
    return update ?? item;
  });
  if (changedById.size === 0) return { ...feed, items: updatedItems };
  const items = [...changedById.values(), ...updatedItems].toSorted((a, b) =>
    a.id < b.id ? 1 : -1,
  );
  return { ...feed, items };
}

/** Returns the feed with the next page appended. */
export function appendPage(feed: FeedItems, page: Page<FeedItem>): FeedItems {
  const oldestId = feed.items.at(-1)?.id;
  const olderItems = page.items
    .filter(({ id }) => oldestId === undefined || id < oldestId)
    .map(toPreview);
  return { items: [...feed.items, ...olderItems], nextCursor: page.nextCursor };
}

/** Returns the newly fetched feed, plus newer items that the live stream has added in the meantime. */
export function mergeFreshFeed(currentFeed: FeedItems, freshFeed: FeedItems): FeedItems {
  const newestId = freshFeed.items[0]?.id ?? "";
  // Stored items may be outdated.
  const newerItems =
    currentFeed.keptAt === undefined ? currentFeed.items.filter(({ id }) => id > newestId) : [];
  return { ...freshFeed, items: [...newerItems, ...freshFeed.items.map(toPreview)] };
}

/** Returns the feed after a change; null if it must be refetched. */
export function applyChange(feed: FeedItems, change: FeedChange): FeedItems | null {
  switch (change.kind) {
    case "read": {
      const { which, readAt } = change;
      return mapItems(feed, (item) =>
        item.readAt === null && matchesTarget(which, item) ? { ...item, readAt } : item,
      );
    }
    case "unread": {
      const ids = new Set(change.ids);
      return mapItems(feed, (item) => (ids.has(item.id) ? { ...item, readAt: null } : item));
    }
    case "deleted": {
      const ids = new Set(change.ids);
      return { ...feed, items: feed.items.filter(({ id }) => !ids.has(id)) };
    }
    case "restored":
      return null;
  }
}

type ReadTarget = Extract<FeedChange, { readonly kind: "read" }>["which"];

/** Returns whether a read mark applies to an item. */
export function matchesTarget(target: ReadTarget, { id, channel }: FeedItem): boolean {
  if ("ids" in target) return target.ids.includes(id);
  return id <= target.upTo && (target.channel === undefined || target.channel === channel);
}

function mapItems(feed: FeedItems, change: (item: FeedItem) => FeedItem): FeedItems {
  return { ...feed, items: feed.items.map(change) };
}
