import type { FeedItem } from "@tocsin/sdk";
import { client } from "../client.ts";

const PAGE_LENGTH = 200;
/** Who opens an older notification than this finds it by loading the feed. */
const PAGES_MAX = 5;

/** Returns the notification with this id, from those known or among the newest 1,000 of the feed; null for none. */
export async function findInFeed(
  known: readonly FeedItem[],
  wanted: string,
): Promise<FeedItem | null> {
  const isWanted = ({ id }: FeedItem) => id === wanted;
  let found = known.find(isWanted);
  let cursor: string | null = null;
  for (let pages = 0; found === undefined && pages < PAGES_MAX; pages += 1) {
    const after: { cursor?: string } = cursor === null ? {} : { cursor };
    const page = await client.feed.list({ limit: PAGE_LENGTH, ...after });
    found = page.items.find(isWanted);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return found ?? null;
}
