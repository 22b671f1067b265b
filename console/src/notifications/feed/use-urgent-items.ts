import { useQuery } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { useMemo, useState } from "react";
import type { FeedFilter } from "./feed-filter.ts";
import { NO_ITEMS } from "./feed-items.ts";
import { createFeedQuery } from "./feed-queries.ts";

/**
 * Returns the unread time-sensitive notifications of the filtered feed, newest first and of any age. An opened
 * notification becomes read, but stays while it is open, so that its row does not disappear.
 */
export function useUrgentItems(filter: FeedFilter, openedId: string | null): readonly FeedItem[] {
  const { channel, q } = filter;
  const urgentFilter = {
    ...(channel !== undefined && { channel }),
    unread: true,
    timeSensitive: true,
  } as const;
  // A search shows its results by time, without an urgent section.
  const { data = NO_ITEMS } = useQuery({
    ...createFeedQuery(urgentFilter),
    enabled: q === undefined,
  });
  const [pinnedId, setPinnedId] = useState<string | null>(null);
  const { items } = q === undefined ? data : NO_ITEMS;
  const isUrgentOpened = items.some(({ id, readAt }) => id === openedId && readAt === null);
  const newPinnedId = isUrgentOpened || pinnedId === openedId ? openedId : null;
  if (newPinnedId !== pinnedId) setPinnedId(newPinnedId);
  return useMemo(
    () => items.filter(({ id, readAt }) => readAt === null || id === newPinnedId),
    [items, newPinnedId],
  );
}
