import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { focusPageTitle } from "../../page/focus-page-title.ts";
import { showUndoToast } from "../../page/undo-toast.tsx";
import { PATHS } from "../../paths.ts";
import { deleteItems, restoreItems } from "./feed-actions.ts";

/** Returns a function that deletes notifications, with undo, and shows the list again if one of them was open. */
export function useDeleteItems(): (items: readonly FeedItem[]) => Promise<void> {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { id: openedId } = useParams({ strict: false });
  return useCallback(
    async (items) => {
      await deleteItems(queryClient, items);
      showUndoToast({
        message: t("feed.deleted", { count: items.length }),
        undoLabel: t("page.undo"),
        run: () => restoreItems(queryClient, items),
      });
      if (items.some(({ id }) => id === openedId)) {
        await navigate({ to: PATHS.feed, search: true, replace: true, resetScroll: false });
      }
      // The focused element was removed with its row.
      focusPageTitle();
    },
    [t, queryClient, navigate, openedId],
  );
}
