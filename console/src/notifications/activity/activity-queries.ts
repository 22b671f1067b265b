import type { ActivityQuery } from "@tocsin/sdk";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** Refetch interval while the page is visible. */
const REFETCH_INTERVAL_MS = 30_000;

/** Returns the query for the notifications of a period and their outcomes. */
export function createActivityQuery(query: Required<ActivityQuery>) {
  return queryOptions({
    queryKey: ["activity", query],
    queryFn: ({ signal }) => client.activity(query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
}
