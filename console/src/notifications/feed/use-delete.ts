import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { focusTitle } from "../../page/focus-title.ts";
import { sayWithUndo } from "../../page/undo-toast.tsx";
import { PATHS } from "../../paths.ts";
import { deleteItems, restoreItems } from "./feed-acts.ts";

/** Returns a function that deletes notifications, goes back to the list if one was opened, and offers to undo it. */
export function useDelete(): (items: readonly FeedItem[]) => Promise<void> {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { id: openedId } = useParams({ strict: false });
  return useCallback(
    async (items) => {
      await deleteItems(queryClient, items);
      sayWithUndo({
        message: t("feed.deleted", { count: items.length }),
        undo: t("page.undo"),
        run: () => restoreItems(queryClient, items),
      });
      if (items.some(({ id }) => id === openedId)) {
        await navigate({ to: PATHS.feed, search: true, replace: true, resetScroll: false });
      }
      // The focused element is gone with the row.
      focusTitle();
    },
    [t, queryClient, navigate, openedId],
  );
}
