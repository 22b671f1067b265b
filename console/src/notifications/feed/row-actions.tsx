import { ActionIcon } from "@mantine/core";
import { IconMail, IconMailOpened, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useAction } from "../../page/use-action.ts";
import classes from "./feed-list.module.css";
import type { FeedRowContent } from "./feed-rows.ts";
import { getDisplayTitle } from "./display-title.ts";
import type { RowActionHandlers } from "./use-row-actions.ts";

interface RowActionsProps extends RowActionHandlers {
  readonly row: FeedRowContent;
}

/** The buttons of a row, shown while the pointer or the focus is on it. */
export function RowActions({ row, isUnread, toggleRead, remove }: RowActionsProps) {
  const { t } = useTranslation();
  const title = getDisplayTitle(row.item);
  const count = row.items.length;
  const { start: startToggle } = useAction(toggleRead);
  const { start: startRemove } = useAction(remove);
  const MarkIcon = isUnread ? IconMailOpened : IconMail;
  return (
    <span className={classes["actions"]}>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes["mark"] ?? ""}
        aria-label={t(isUnread ? "feed.markReadOf" : "feed.markUnreadOf", { title })}
        onClick={startToggle}
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
