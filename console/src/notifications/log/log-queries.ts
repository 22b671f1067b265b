import type { DeliveryStateGroup, LiveData, NotificationDetail } from "@tocsin/sdk";
import { infiniteQueryOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";
import { isNotFound } from "../../errors.ts";
import { refetchActiveQueries } from "../../refetch-active-queries.ts";
import { toNotificationsQuery, type LogSearch } from "./log-search.ts";

const PAGE_SIZE = 30;
const DELIVERIES_PAGE_SIZE = 50;

/** Returns the paginated query for the sent notifications that match a search, newest first. */
export function createLogQuery(search: LogSearch) {
  return infiniteQueryOptions({
    queryKey: ["log", "list", search],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.notifications.list(
        { ...toNotificationsQuery(search), limit: PAGE_SIZE, ...toCursorParam(pageParam) },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Returns the query for a sent notification; null if it no longer exists. */
export function createRecordQuery(id: string) {
  return queryOptions({
    queryKey: ["log", "one", id],
    queryFn: async ({ signal }): Promise<NotificationDetail | null> => {
      try {
        return await client.notifications.get(id, { signal });
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
  });
}

/** Returns the paginated query for the deliveries of a notification. A null group selects all states. */
export function createDeliveriesQuery(id: string, group: DeliveryStateGroup | null) {
  return infiniteQueryOptions({
    queryKey: ["log", "one", id, "deliveries", group],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.notifications.deliveries(
        id,
        {
          limit: DELIVERIES_PAGE_SIZE,
          ...(group === null ? {} : { state: group }),
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
  void refetchActiveQueries(queryClient, ["log", "list"]);
  void refetchActiveQueries(queryClient, ["log", "one", notificationId]);
}

/** Refetches all queries of the log, which may have missed events. */
export function refreshWholeLog(queryClient: QueryClient): void {
  void refetchActiveQueries(queryClient, ["log"]);
}
