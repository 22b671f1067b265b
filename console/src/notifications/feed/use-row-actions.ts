import { useQueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { markItemsRead, markItemsUnread } from "./feed-actions.ts";
import { useDelete } from "./use-delete.ts";

/** The actions on all notifications of a row. */
export interface RowActionHandlers {
  readonly isUnread: boolean;
  /** Marks unread notifications as read. If all are read, marks them as unread. */
  readonly mark: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Returns the actions on the notifications of a row. */
export function useRowActions(items: readonly FeedItem[]): RowActionHandlers {
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
