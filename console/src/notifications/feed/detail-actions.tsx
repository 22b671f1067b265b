import { IconListDetails, IconMail, IconMailOpened, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { ButtonLink } from "../../page/button-link.tsx";
import { PATHS } from "../../paths.ts";
import { markRead, markUnread } from "./feed-queries.ts";
import classes from "./notification-detail.module.css";
import { useDeleteItems } from "./use-delete-items.ts";

interface DetailActionsProps {
  readonly item: FeedItem;
  /** Whether the reader's delivery log contains the notification: it is personal, or the reader manages its team. */
  readonly hasRecord: boolean;
}

/** The actions on an open notification. */
export function DetailActions({ item, hasRecord }: DetailActionsProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const remove = useDeleteItems();
  const isUnread = item.readAt === null;
  const MarkIcon = isUnread ? IconMailOpened : IconMail;
  return (
    <div className={classes["actions"]}>
      <ActionButton
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<MarkIcon size={16} aria-hidden />}
        run={() => (isUnread ? markRead : markUnread)(queryClient, item)}
      >
        {isUnread ? t("feed.markRead") : t("feed.markUnread")}
      </ActionButton>
      {hasRecord && (
        <ButtonLink
          to={PATHS.record}
          params={{ id: item.id }}
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconListDetails size={16} aria-hidden />}
        >
          {t("feed.record")}
        </ButtonLink>
      )}
      <ActionButton
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<IconTrash size={16} aria-hidden />}
        run={() => remove([item])}
      >
        {t("feed.delete")}
      </ActionButton>
    </div>
  );
}
