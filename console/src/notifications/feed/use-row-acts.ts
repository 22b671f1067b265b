import { useQueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { markItemsRead, markItemsUnread } from "./feed-acts.ts";
import { useDelete } from "./use-delete.ts";

/** Actions on all notifications of a row. */
export interface RowActs {
  readonly isUnread: boolean;
  /** Marks the unread ones as read; if there are none, all as unread. */
  readonly mark: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Returns the actions on the notifications of a row. */
export function useRowActs(items: readonly FeedItem[]): RowActs {
  const queryClient = useQueryClient();
  const remove = useDelete();
  const unread = items.filter(({ readAt }) => readAt === null);
  const isUnread = unread.length > 0;
  return {
    isUnread,
    mark: () =>
      isUnread ? markItemsRead(queryClient, unread) : markItemsUnread(queryClient, items),
    remove: () => remove(items),
  };
}
