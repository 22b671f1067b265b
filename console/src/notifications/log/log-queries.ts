import type { LiveData, NotificationRecord } from "@tocsin/sdk";
import { infiniteQueryOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";
import { isMissing } from "../../errors.ts";

const PAGE_LENGTH = 30;

/** Asks for what the account's keys sent, newest first, page by page. */
export const logQuery = infiniteQueryOptions({
  queryKey: ["log", "list"],
  initialPageParam: "",
  queryFn: ({ pageParam, signal }) =>
    client.notifications.list(
      { limit: PAGE_LENGTH, ...(pageParam === "" ? {} : { cursor: pageParam }) },
      { signal },
    ),
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

/** Asks for one notification that was sent, null for one that is no longer known. */
export function recordQuery(id: string) {
  return queryOptions({
    queryKey: ["log", "one", id],
    queryFn: async ({ signal }): Promise<NotificationRecord | null> => {
      try {
        return await client.notifications.get(id, { signal });
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  });
}

/** Takes in that a delivery came into another state: what shows it asks anew, once for many. */
export function refreshLog(
  queryClient: QueryClient,
  { notificationId }: LiveData["delivery"],
): void {
  void queryClient.invalidateQueries({ queryKey: logQuery.queryKey }, { cancelRefetch: false });
  void queryClient.invalidateQueries(
    { queryKey: recordQuery(notificationId).queryKey },
    { cancelRefetch: false },
  );
}
