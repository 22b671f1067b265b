import { Text, Title, VisuallyHidden } from "@mantine/core";
import { IconMail, IconMailOpened, IconTrash } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { memo, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { LazyIncidentBadge } from "../../incidents/lazy-incident-badge.ts";
import { Timestamp, TimeOfDay } from "../../page/timestamp.tsx";
import { showError } from "../../page/toasts.ts";
import { PATHS } from "../../paths.ts";
import { LazyPromptRow } from "../../prompts/lazy-prompt-row.ts";
import { PreviewText } from "../body/preview-text.tsx";
import { ChannelMark } from "./channel-mark.tsx";
import classes from "./feed-list.module.css";
import { URGENT_SECTION, type FeedRowContent, type FeedRun } from "./feed-rows.ts";
import { RowActions } from "./row-actions.tsx";
import { RepeatsButton } from "./repeats-button.tsx";
import { formatSender } from "./format-sender.ts";
import { getDisplayTitle } from "./display-title.ts";
import { getUrgentPriority } from "./get-urgent-priority.ts";
import { useRowActions } from "./use-row-actions.ts";
import { useSwipe } from "./use-swipe.ts";

interface FeedRowProps {
  readonly row: FeedRowContent;
  readonly index: number;
  /** Total number of rows; -1 while unknown. */
  readonly total: number;
  /** Offset of the row in the list, in pixels. */
  readonly start: number;
  /** Heading of the section if the row is its first; otherwise null. */
  readonly heading: string | null;
  readonly isLastOfSection: boolean;
  readonly isOpened: boolean;
  readonly measure: (row: Element | null) => void;
  /** Expands or collapses a run. */
  readonly onToggle: (run: FeedRun) => void;
}

/** A row of the list, with a heading if it is the first of its section. Its texts are never rendered as HTML. */
export const FeedRow = memo(function FeedRow(props: FeedRowProps) {
  const { row, index, total, start, heading, isLastOfSection, measure } = props;
  const { item, items } = row;
  return (
    <article
      ref={measure}
      className={classes["slot"]}
      style={{ transform: `translateY(${start}px)` }}
      aria-labelledby={`title-${item.id}`}
      aria-posinset={index + 1}
      aria-setsize={total}
      data-index={index}
      data-notification={item.id}
      data-unread={items.some(({ readAt }) => readAt === null) || undefined}
      data-last={isLastOfSection || undefined}
    >
      {heading !== null && (
        <Title order={2} className={classes["day"] ?? ""}>
          {heading}
        </Title>
      )}
      <SwipeableRow {...props} />
    </article>
  );
});

/** The row without its heading. A swipe to the left deletes it; a swipe to the right marks it as read or unread. */
function SwipeableRow({ row, heading, isOpened, onToggle }: FeedRowProps) {
  const { remove, toggleRead, isUnread } = useRowActions(row.items);
  const { side, handlers } = useSwipe({
    onSwipe: (direction) => void (direction === "left" ? remove() : toggleRead()).catch(showError),
  });
  const MarkIcon = isUnread ? IconMailOpened : IconMail;
  return (
    <div className={classes["track"]} data-side={side ?? undefined}>
      {side === "left" && <IconTrash className={classes["swipeIcon"] ?? ""} aria-hidden />}
      {side === "right" && <MarkIcon className={classes["swipeIcon"] ?? ""} aria-hidden />}
      <div
        className={classes["row"]}
        data-first={heading !== null || undefined}
        data-opened={isOpened || undefined}
        data-repeat={row.isRepeat || undefined}
        data-urgent={row.section === URGENT_SECTION || undefined}
        {...handlers}
      >
        <RowContent row={row} isOpened={isOpened} onToggle={onToggle} />
        <RowActions row={row} isUnread={isUnread} remove={remove} toggleRead={toggleRead} />
      </div>
    </div>
  );
}

function RowContent({
  row,
  isOpened,
  onToggle,
}: Pick<FeedRowProps, "row" | "isOpened" | "onToggle">) {
  const { t } = useTranslation();
  const { item, items, run } = row;
  const isUnread = items.some(({ readAt }) => readAt === null);
  return (
    <>
      <span className={classes["dot"]}>
        {isUnread && <VisuallyHidden>{t("feed.new")}</VisuallyHidden>}
      </span>
      <ChannelMark channel={item.channel} />
      <div className={classes["text"]}>
        <div className={classes["head"]}>
          <Link
            to={PATHS.notification}
            params={{ id: item.id }}
            search
            resetScroll={false}
            id={`title-${item.id}`}
            className={classes["title"]}
            dir="auto"
            aria-current={isOpened || undefined}
          >
            {getDisplayTitle(item)}
          </Link>
          {item.incidentState !== null && (
            <Suspense>
              <LazyIncidentBadge state={item.incidentState} />
            </Suspense>
          )}
          {run !== null && <RepeatsButton run={run} onToggle={onToggle} />}
        </div>
        <RowSummary row={row} />
      </div>
      <span className={classes["time"]}>
        {row.section === URGENT_SECTION ? (
          <Timestamp at={item.createdAt} />
        ) : (
          <TimeOfDay at={item.createdAt} />
        )}
      </span>
      {item.promptId !== null && (
        <div className={classes["prompt"]}>
          <Suspense>
            <LazyPromptRow id={item.promptId} state={item.promptState} isOpened={isOpened} />
          </Suspense>
        </div>
      )}
    </>
  );
}

/** The sender, and the beginning of the text. */
function RowSummary({ row: { item } }: Pick<FeedRowProps, "row">) {
  const { t } = useTranslation();
  const sender = formatSender(item);
  const urgentPriority = getUrgentPriority(item.priority);
  return (
    <div className={classes["summary"]}>
      <span className={classes["source"]}>
        {urgentPriority !== null && (
          <strong className={classes["urgent"]}>{t(`feed.priorities.${urgentPriority}`)}</strong>
        )}
        {item.timeSensitive && (
          <strong className={classes["urgent"]}>{t("feed.timeSensitive")}</strong>
        )}
        <span>{item.channel}</span>
        {sender !== null && <span dir="auto">{sender}</span>}
      </span>
      {item.body !== "" && (
        <Text span c="dimmed" dir="auto" className={classes["body"] ?? ""}>
          <PreviewText body={item.body} markdown={item.markdown} />
        </Text>
      )}
    </div>
  );
}
