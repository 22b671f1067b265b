import type { FeedChange, FeedItem, Page } from "@tocsin/sdk";

/** The loaded part of the feed, newest first. */
export interface FeedItems {
  readonly items: readonly FeedItem[];
  /** Cursor of older notifications; null if there are none. */
  readonly nextCursor: string | null;
  /** Time at which this browser stored them; present if the server could not be reached. */
  readonly keptAt?: string;
}

/** Feed before anything is loaded. */
export const NO_ITEMS: FeedItems = { items: [], nextCursor: null };

/** Characters of a text that a list keeps: thousands of long ones would fill the memory. */
const PREVIEW_LENGTH = 500;

/** Returns a notification as lists keep it, with its body cut. */
function previewOf(item: FeedItem): FeedItem {
  if (isWhole(item)) return item;
  return { ...item, body: item.body.slice(0, PREVIEW_LENGTH) };
}

/** Returns whether an item of a list has the complete text of its notification. */
export function isWhole({ body }: FeedItem): boolean {
  return body.length < PREVIEW_LENGTH;
}

/** Returns the feed with changed items in their places, and new ones placed by age: ids grow with time. */
export function withItems(feed: FeedItems, changed: readonly FeedItem[]): FeedItems {
  if (changed.length === 0) return feed;
  const byId = new Map(changed.map((item) => [item.id, previewOf(item)]));
  const kept = feed.items.map((item) => {
    const now = byId.get(item.id);
    byId.delete(item.id);
    return now ?? item;
  });
  if (byId.size === 0) return { ...feed, items: kept };
  const items = [...byId.values(), ...kept].toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return { ...feed, items };
}

/** Returns the feed with the page that follows it. */
export function withOlderPage(feed: FeedItems, page: Page<FeedItem>): FeedItems {
  const oldest = feed.items.at(-1)?.id;
  const older = page.items.filter(({ id }) => oldest === undefined || id < oldest).map(previewOf);
  return { items: [...feed.items, ...older], nextCursor: page.nextCursor };
}

/** Returns the newest part from the server, with what the live stream brought meanwhile, and nothing older. */
export function withNewest(known: FeedItems, fresh: FeedItems): FeedItems {
  const newest = fresh.items[0]?.id ?? "";
  // Stored items may have changed much since.
  const told = known.keptAt === undefined ? known.items.filter(({ id }) => id > newest) : [];
  return { ...fresh, items: [...told, ...fresh.items.map(previewOf)] };
}

/** Returns the feed after a change; null if only the server knows the new state. */
export function afterChange(feed: FeedItems, change: FeedChange): FeedItems | null {
  switch (change.kind) {
    case "read": {
      const { which, readAt } = change;
      return mapped(feed, (item) =>
        item.readAt === null && isNamed(which, item) ? { ...item, readAt } : item,
      );
    }
    case "unread": {
      const ids = new Set(change.ids);
      return mapped(feed, (item) => (ids.has(item.id) ? { ...item, readAt: null } : item));
    }
    case "deleted": {
      const ids = new Set(change.ids);
      return { ...feed, items: feed.items.filter(({ id }) => !ids.has(id)) };
    }
    case "restored":
      return null;
  }
}

type Named = Extract<FeedChange, { readonly kind: "read" }>["which"];

/** Returns whether a mark covers an item. */
export function isNamed(which: Named, { id, channel }: FeedItem): boolean {
  if ("ids" in which) return which.ids.includes(id);
  return id <= which.upTo && (which.channel === undefined || which.channel === channel);
}

function mapped(feed: FeedItems, change: (item: FeedItem) => FeedItem): FeedItems {
  return { ...feed, items: feed.items.map(change) };
}
