import { useQuery } from "@tanstack/react-query";
import { channelsQuery } from "./feed-queries.ts";

/** Returns the number of unread notifications of a channel or of all channels; 0 while the query loads. */
export function useUnread(channel?: string): number {
  const { data = [] } = useQuery(channelsQuery);
  return data
    .filter(({ name }) => channel === undefined || name === channel)
    .reduce((sum, { unread }) => sum + unread, 0);
}
