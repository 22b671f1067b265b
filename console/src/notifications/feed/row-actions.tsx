import { ActionIcon } from "@mantine/core";
import { IconMail, IconMailOpened, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useAction } from "../../page/use-action.ts";
import classes from "./feed-list.module.css";
import type { FeedRowEntry } from "./feed-rows.ts";
import { titleOf } from "./title.ts";
import type { RowActionHandlers } from "./use-row-actions.ts";

export interface RowActionsProps extends RowActionHandlers {
  readonly row: FeedRowEntry;
}

/** The buttons of a row, shown while the pointer or the focus is on it. */
export function RowActions({ row, isUnread, mark, remove }: RowActionsProps) {
  const { t } = useTranslation();
  const title = titleOf(row.item);
  const count = row.items.length;
  const { start: startMark } = useAction(mark);
  const { start: startRemove } = useAction(remove);
  const MarkIcon = isUnread ? IconMailOpened : IconMail;
  return (
    <span className={classes["actions"]}>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes["mark"] ?? ""}
        aria-label={t(isUnread ? "feed.markReadOf" : "feed.markUnreadOf", { title })}
        onClick={startMark}
      >
        <MarkIcon size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes["remove"] ?? ""}
        aria-label={t("feed.deleteOf", { title, count })}
        onClick={startRemove}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </span>
  );
}
