import { ActionIcon, Text, Title, VisuallyHidden } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { TimeOfDay } from "../../page/moment.tsx";
import { useAction } from "../../page/use-action.ts";
import { PATHS } from "../../paths.ts";
import { nameOfDay } from "./day.ts";
import { FeedBadges } from "./feed-badges.tsx";
import classes from "./feed-list.module.css";
import { markRead } from "./feed-queries.ts";
import { titleOf } from "./title.ts";

export interface FeedRowProps {
  readonly item: FeedItem;
  readonly index: number;
  /** How many rows there are in all; -1 while that is not known. */
  readonly total: number;
  /** Where the row begins in the list, in pixels. */
  readonly start: number;
  readonly isFirstOfDay: boolean;
  readonly isLastOfDay: boolean;
  readonly isOpened: boolean;
  readonly measure: (row: Element | null) => void;
}

/** A notification of the list, below the name of its day where it is the first; its texts are never read as markup. */
export const FeedRow = memo(function FeedRow(props: FeedRowProps) {
  const { item, index, total, start, isFirstOfDay, isLastOfDay, isOpened, measure } = props;
  return (
    <article
      ref={measure}
      className={classes["place"]}
      style={{ transform: `translateY(${start}px)` }}
      aria-labelledby={`title-${item.id}`}
      aria-posinset={index + 1}
      aria-setsize={total}
      data-index={index}
      data-notification={item.id}
      data-unread={item.readAt === null || undefined}
      data-last={isLastOfDay || undefined}
    >
      {isFirstOfDay && (
        <Title order={2} className={classes["day"] ?? ""}>
          {nameOfDay(item.createdAt)}
        </Title>
      )}
      <div
        className={classes["row"]}
        data-first={isFirstOfDay || undefined}
        data-opened={isOpened || undefined}
      >
        <Content item={item} isOpened={isOpened} />
      </div>
    </article>
  );
});

function Content({ item, isOpened }: Pick<FeedRowProps, "item" | "isOpened">) {
  const { t } = useTranslation();
  const { id, body, readAt, createdAt } = item;
  const title = titleOf(item);
  const isUnread = readAt === null;
  return (
    <>
      <span className={classes["dot"]}>
        {isUnread && <VisuallyHidden>{t("feed.new")}</VisuallyHidden>}
      </span>
      <div className={classes["text"]}>
        <Link
          to={PATHS.notification}
          params={{ id }}
          search
          resetScroll={false}
          id={`title-${id}`}
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
          <TimeOfDay at={createdAt} />
        </span>
        {isUnread && <MarkRead item={item} title={title} />}
      </div>
    </>
  );
}

function MarkRead({ item, title }: { readonly item: FeedItem; readonly title: string }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { start } = useAction(() => markRead(queryClient, item));
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      className={classes["mark"] ?? ""}
      aria-label={t("feed.markReadOf", { title })}
      onClick={start}
    >
      <IconCheck size={16} aria-hidden />
    </ActionIcon>
  );
}
