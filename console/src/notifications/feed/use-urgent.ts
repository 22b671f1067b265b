import { useQuery } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { useMemo, useState } from "react";
import type { FeedFilter } from "./feed-filter.ts";
import { NO_ITEMS } from "./feed-items.ts";
import { feedQuery } from "./feed-queries.ts";

/**
 * Returns the time-sensitive, unread notifications in a part of the feed, newest first, however old they are. One that
 * is opened from there stays until another one is opened, though it is then read: a row must not disappear under its
 * reader.
 */
export function useUrgent(filter: FeedFilter, openedId: string | null): readonly FeedItem[] {
  const { channel, q } = filter;
  const wanted = {
    ...(channel !== undefined && { channel }),
    unread: true,
    timeSensitive: true,
  } as const;
  // A search shows its results in the order of time.
  const { data = NO_ITEMS } = useQuery({ ...feedQuery(wanted), enabled: q === undefined });
  const [staying, setStaying] = useState<string | null>(null);
  const { items } = q === undefined ? data : NO_ITEMS;
  const isOpenedFromThere = items.some(({ id, readAt }) => id === openedId && readAt === null);
  const stays = isOpenedFromThere || staying === openedId ? openedId : null;
  if (stays !== staying) setStaying(stays);
  return useMemo(
    () => items.filter(({ id, readAt }) => readAt === null || id === stays),
    [items, stays],
  );
}
