import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { focusTitle } from "../../page/focus-title.ts";
import { sayWithUndo } from "../../page/undo-toast.tsx";
import { PATHS } from "../../paths.ts";
import { deleteItem, restoreItem } from "./feed-queries.ts";

/** Returns what deletes a notification, goes back to the list where it was opened, and offers to undo it. */
export function useDelete(): (item: FeedItem) => Promise<void> {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { id: openedId } = useParams({ strict: false });
  return useCallback(
    async (item) => {
      await deleteItem(queryClient, item);
      sayWithUndo({
        message: t("feed.deleted"),
        undo: t("page.undo"),
        run: () => restoreItem(queryClient, item),
      });
      if (item.id === openedId) {
        await navigate({ to: PATHS.feed, search: true, replace: true, resetScroll: false });
        focusTitle();
      }
    },
    [t, queryClient, navigate, openedId],
  );
}
