import type { FeedChange, FeedItem, Page } from "@tocsin/sdk";

/** The part of the feed that is on the page, newest first. */
export interface FeedItems {
  readonly items: readonly FeedItem[];
  /** Where older ones go on; null where there are none. */
  readonly nextCursor: string | null;
  /** When this browser kept them, where the server could not be asked. */
  readonly keptAt?: string;
}

/** Nothing yet. */
export const NO_ITEMS: FeedItems = { items: [], nextCursor: null };

/** A list keeps so much of a text: thousands of long ones would fill the memory. */
const PREVIEW_LENGTH = 500;

/** Returns a notification as lists keep it, its body cut. */
function previewOf(item: FeedItem): FeedItem {
  if (isWhole(item)) return item;
  return { ...item, body: item.body.slice(0, PREVIEW_LENGTH) };
}

/** Returns whether an item of a list says all that its notification does. */
export function isWhole({ body }: FeedItem): boolean {
  return body.length < PREVIEW_LENGTH;
}

/** Returns the items with those in place of what they were, or among the others by age: ids grow with time. */
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

/** Returns the items with the page that follows them. */
export function withOlderPage(feed: FeedItems, page: Page<FeedItem>): FeedItems {
  const oldest = feed.items.at(-1)?.id;
  const older = page.items.filter(({ id }) => oldest === undefined || id < oldest).map(previewOf);
  return { items: [...feed.items, ...older], nextCursor: page.nextCursor };
}

/** Returns the newest part as the server gave it anew, with what the live stream told meanwhile, and nothing older. */
export function withNewest(known: FeedItems, fresh: FeedItems): FeedItems {
  const newest = fresh.items[0]?.id ?? "";
  // Of what was kept, much may have changed since.
  const told = known.keptAt === undefined ? known.items.filter(({ id }) => id > newest) : [];
  return { ...fresh, items: [...told, ...fresh.items.map(previewOf)] };
}

/** Returns the items after a change; null where only the server knows what they are now. */
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

/** Returns whether a mark names an item. */
export function isNamed(which: Named, { id, channel }: FeedItem): boolean {
  if ("ids" in which) return which.ids.includes(id);
  return id <= which.upTo && (which.channel === undefined || which.channel === channel);
}

function mapped(feed: FeedItems, change: (item: FeedItem) => FeedItem): FeedItems {
  return { ...feed, items: feed.items.map(change) };
}
