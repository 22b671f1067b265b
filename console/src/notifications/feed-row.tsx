import { ActionIcon, Text, VisuallyHidden } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Moment } from "../page/moment.tsx";
import { useAction } from "../page/use-action.ts";
import { PATHS } from "../paths.ts";
import { FeedBadges } from "./feed-badges.tsx";
import classes from "./feed-list.module.css";
import { markRead } from "./feed-queries.ts";

export interface FeedRowProps {
  readonly item: FeedItem;
  readonly isOpened: boolean;
}

/** A notification of the list; its texts are never read as markup. */
export function FeedRow({ item, isOpened }: FeedRowProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { start: mark } = useAction(() => markRead(queryClient, item));
  const { id, body, readAt, createdAt } = item;
  const title = item.title === "" ? t("feed.untitled") : item.title;
  const titleId = `title-${id}`;
  const isUnread = readAt === null;
  return (
    <article
      className={classes["row"]}
      aria-labelledby={titleId}
      data-notification={id}
      data-unread={isUnread || undefined}
      data-opened={isOpened || undefined}
    >
      <span className={classes["dot"]}>
        {isUnread && <VisuallyHidden>{t("feed.new")}</VisuallyHidden>}
      </span>
      <div className={classes["text"]}>
        <Link
          to={PATHS.notification}
          params={{ id }}
          id={titleId}
          className={classes["title"]}
          dir="auto"
          aria-current={isOpened || undefined}
        >
          {title}
        </Link>
        {body !== "" && (
          <Text size="sm" c="dimmed" lineClamp={2} dir="auto" className={classes["body"] ?? ""}>
            {body}
          </Text>
        )}
        <div className={classes["meta"]}>
          <FeedBadges item={item} />
        </div>
      </div>
      <div className={classes["side"]}>
        <span className={classes["when"]}>
          <Moment at={createdAt} />
        </span>
        {isUnread && (
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes["mark"] ?? ""}
            aria-label={t("feed.markReadOf", { title })}
            onClick={mark}
          >
            <IconCheck size={16} aria-hidden />
          </ActionIcon>
        )}
      </div>
    </article>
  );
}
