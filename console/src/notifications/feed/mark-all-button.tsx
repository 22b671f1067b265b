import { IconChecks } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { focusTitle } from "../../page/focus-title.ts";
import { showUndoToast } from "../../page/undo-toast.tsx";
import type { FeedFilter } from "./feed-filter.ts";
import classes from "./feed-toolbar.module.css";
import { markAllRead } from "./mark-all-read.ts";
import { useUnread } from "./use-unread.ts";

/** Marks all listed and older notifications as read, with undo. Renders nothing if all are read. */
export function MarkAllButton({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { channel, q } = filter;
  const unread = useUnread(channel);
  // During a search, the button would also mark notifications that are not listed.
  if (unread === 0 || q !== undefined) return null;
  const markAll = async () => {
    const undo = await markAllRead(queryClient, filter);
    // The button disappears after the last notification is read.
    focusTitle();
    if (undo === null) return;
    showUndoToast({ message: t("feed.allMarkedRead"), undo: t("page.undo"), run: undo });
  };
  return (
    <ActionButton
      className={classes["markAll"] ?? ""}
      variant="default"
      leftSection={<IconChecks size={16} aria-hidden />}
      run={markAll}
    >
      {channel === undefined ? t("feed.markAllRead") : t("feed.markChannelRead", { channel })}
    </ActionButton>
  );
}
