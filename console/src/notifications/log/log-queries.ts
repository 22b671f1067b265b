import type { DeliveryFate, LiveData, NotificationDetail } from "@tocsin/sdk";
import { infiniteQueryOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";
import { isMissing } from "../../errors.ts";
import { refresh } from "../../refresh.ts";
import { queryOf, type LogSearch } from "./log-search.ts";

const PAGE_LENGTH = 30;
const DELIVERIES_LENGTH = 50;

/** Returns the query for the sent notifications that match a search, newest first, page by page. */
export function logQuery(search: LogSearch) {
  return infiniteQueryOptions({
    queryKey: ["log", "list", search],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.notifications.list(
        { ...queryOf(search), limit: PAGE_LENGTH, ...cursorOf(pageParam) },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Returns the query for one sent notification; null if it is no longer known. */
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

/** Returns the query for the deliveries of a notification, page by page; a null outcome selects all. */
export function deliveriesQuery(id: string, fate: DeliveryFate | null) {
  return infiniteQueryOptions({
    queryKey: ["log", "one", id, "deliveries", fate],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.notifications.deliveries(
        id,
        {
          limit: DELIVERIES_LENGTH,
          ...(fate === null ? {} : { state: fate }),
          ...cursorOf(pageParam),
        },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

function cursorOf(pageParam: string): { readonly cursor?: string } {
  return pageParam === "" ? {} : { cursor: pageParam };
}

/** Refetches what shows a delivery whose state changed, once for many changes. */
export function refreshLog(
  queryClient: QueryClient,
  { notificationId }: LiveData["delivery"],
): void {
  void refresh(queryClient, ["log", "list"]);
  void refresh(queryClient, ["log", "one", notificationId]);
}

/** Refetches everything that is shown of the log, as it may lack some events. */
export function refreshWholeLog(queryClient: QueryClient): void {
  void refresh(queryClient, ["log"]);
}
