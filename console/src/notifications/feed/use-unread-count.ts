import { useQuery } from "@tanstack/react-query";
import { channelsQuery } from "./feed-queries.ts";

/** Returns the number of unread notifications of a channel or of all channels; 0 until the query has loaded. */
export function useUnreadCount(channel?: string): number {
  const { data: channels = [] } = useQuery(channelsQuery);
  return channels
    .filter(({ name }) => channel === undefined || name === channel)
    .reduce((sum, { unread }) => sum + unread, 0);
}
