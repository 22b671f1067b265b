import type { ActivityQuery } from "@tocsin/sdk";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** It is asked again so often while it is seen. */
const EVERY_MS = 30_000;

/** Asks what was sent over some days, and what became of it. */
export function activityQuery(query: Required<ActivityQuery>) {
  return queryOptions({
    queryKey: ["activity", query],
    queryFn: ({ signal }) => client.activity(query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}
