import type { DeliveryFate, LiveData, NotificationDetail } from "@tocsin/sdk";
import { infiniteQueryOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";
import { isMissing } from "../../errors.ts";
import { refresh } from "../../refresh.ts";
import { queryOf, type LogSearch } from "./log-search.ts";

const PAGE_LENGTH = 30;
const DELIVERIES_LENGTH = 50;

/** Asks for what was sent and fits a search, newest first, page by page. */
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

/** Asks for one notification that was sent, null for one that is no longer known. */
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

/** Asks for what became of a notification on its devices, page by page; null asks for all. */
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

/** Takes in that a delivery came into another state: what shows it asks anew, once for many. */
export function refreshLog(
  queryClient: QueryClient,
  { notificationId }: LiveData["delivery"],
): void {
  void refresh(queryClient, ["log", "list"]);
  void refresh(queryClient, ["log", "one", notificationId]);
}

/** Asks anew for all that is shown of what was sent, where some of it may have gone untold. */
export function refreshWholeLog(queryClient: QueryClient): void {
  void refresh(queryClient, ["log"]);
}
