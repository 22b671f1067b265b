import { IconChecks } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { focusTitle } from "../../page/focus-title.ts";
import { sayWithUndo } from "../../page/undo-toast.tsx";
import type { FeedFilter } from "./feed-filter.ts";
import classes from "./feed-toolbar.module.css";
import { markAllRead } from "./mark-all-read.ts";
import { useUnread } from "./unread.ts";

/** Marks all shown and older notifications as read, and offers to undo it; nothing if all are read. */
export function MarkAllButton({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { channel, q } = filter;
  const unread = useUnread(channel);
  // A search must not mark what it does not show.
  if (unread === 0 || q !== undefined) return null;
  const markAll = async () => {
    const takeBack = await markAllRead(queryClient, filter);
    // The button disappears with the last unread one.
    focusTitle();
    if (takeBack === null) return;
    sayWithUndo({ message: t("feed.allMarkedRead"), undo: t("page.undo"), run: takeBack });
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
