import { useQueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { markItemsRead, markItemsUnread } from "./feed-actions.ts";
import { useDeleteItems } from "./use-delete-items.ts";

/** The actions on all notifications of a row. */
export interface RowActionHandlers {
  readonly isUnread: boolean;
  /** Marks unread notifications as read. If all are read, marks them as unread. */
  readonly toggleRead: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Returns the actions on the notifications of a row. */
export function useRowActions(items: readonly FeedItem[]): RowActionHandlers {
  const queryClient = useQueryClient();
  const remove = useDeleteItems();
  const unreadItems = items.filter(({ readAt }) => readAt === null);
  const isUnread = unreadItems.length > 0;
  return {
    isUnread,
    toggleRead: () =>
      isUnread ? markItemsRead(queryClient, unreadItems) : markItemsUnread(queryClient, items),
    remove: () => remove(items),
  };
}
