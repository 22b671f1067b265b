import { IconChecks } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { focusPageTitle } from "../../page/focus-page-title.ts";
import { showUndoToast } from "../../page/undo-toast.tsx";
import type { FeedFilter } from "./feed-filter.ts";
import classes from "./feed-toolbar.module.css";
import { markAllRead } from "./mark-all-read.ts";
import { useUnreadCount } from "./use-unread-count.ts";

/**
 * A button that marks all listed and older notifications as read, with undo; renders nothing if all are read, or during
 * a search.
 */
export function MarkAllReadButton({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { channel, q } = filter;
  const unreadCount = useUnreadCount(channel);
  // During a search, the button would also mark notifications that are not listed.
  if (unreadCount === 0 || q !== undefined) return null;
  const markAll = async () => {
    const undo = await markAllRead(queryClient, filter);
    // The button disappears after the last notification is read.
    focusPageTitle();
    if (undo === null) return;
    showUndoToast({ message: t("feed.allMarkedRead"), undoLabel: t("page.undo"), run: undo });
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
