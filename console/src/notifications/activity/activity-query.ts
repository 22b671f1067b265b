import type { ActivityQuery } from "@tocsin/sdk";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** The interval at which the page loads the activity again while it is visible. */
const REFETCH_INTERVAL_MS = 30_000;

/**
 * Returns the query that counts the notifications of a period and their outcomes. When the period changes, the query
 * keeps the previous counts until the new ones have loaded.
 */
export function createActivityQuery(query: Required<ActivityQuery>) {
  return queryOptions({
    queryKey: ["activity", query],
    queryFn: ({ signal }) => client.activity(query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
}
