import type { DeliveryFate, LiveData, NotificationDetail } from "@tocsin/sdk";
import { infiniteQueryOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";
import { isMissing } from "../../errors.ts";
import { refresh } from "../../refresh.ts";
import { toNotificationsQuery, type LogSearch } from "./log-search.ts";

const PAGE_LENGTH = 30;
const DELIVERIES_PAGE_LENGTH = 50;

/** Returns the paginated query for the sent notifications that match a search, newest first. */
export function logQuery(search: LogSearch) {
  return infiniteQueryOptions({
    queryKey: ["log", "list", search],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.notifications.list(
        { ...toNotificationsQuery(search), limit: PAGE_LENGTH, ...toCursorParam(pageParam) },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Returns the query for a sent notification; null if it no longer exists. */
export function recordQuery(id: string) {
  return queryOptions({
    queryKey: ["log", "one", id],
    queryFn: async ({ signal }): Promise<NotificationDetail | null> => {
      try {
        return await client.notifications.get(id, { signal });
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  });
}

/** Returns the paginated query for the deliveries of a notification. A null outcome selects all outcomes. */
export function deliveriesQuery(id: string, outcome: DeliveryFate | null) {
  return infiniteQueryOptions({
    queryKey: ["log", "one", id, "deliveries", outcome],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.notifications.deliveries(
        id,
        {
          limit: DELIVERIES_PAGE_LENGTH,
          ...(outcome === null ? {} : { state: outcome }),
          ...toCursorParam(pageParam),
        },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

function toCursorParam(pageParam: string): { readonly cursor?: string } {
  return pageParam === "" ? {} : { cursor: pageParam };
}

/** Refetches the queries that contain a changed delivery. Concurrent changes share one fetch. */
export function refreshLog(
  queryClient: QueryClient,
  { notificationId }: LiveData["delivery"],
): void {
  void refresh(queryClient, ["log", "list"]);
  void refresh(queryClient, ["log", "one", notificationId]);
}

/** Refetches all queries of the log, which may have missed events. */
export function refreshWholeLog(queryClient: QueryClient): void {
  void refresh(queryClient, ["log"]);
}
