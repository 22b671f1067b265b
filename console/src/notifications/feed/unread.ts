import { useQuery } from "@tanstack/react-query";
import { channelsQuery } from "./feed-queries.ts";

/** Returns the number of unread notifications, of one channel or of all; 0 while it is unknown. */
export function useUnread(channel?: string): number {
  const { data = [] } = useQuery(channelsQuery);
  return data
    .filter(({ name }) => channel === undefined || name === channel)
    .reduce((sum, { unread }) => sum + unread, 0);
}
