import { Button } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import i18next from "i18next";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Density } from "./density.ts";
import { formatDay } from "./format-day.ts";
import type { FeedFilter } from "./feed-filter.ts";
import type { FeedItems } from "./feed-items.ts";
import classes from "./feed-list.module.css";
import { storeScrollDepth } from "./feed-queries.ts";
import { FeedRow } from "./feed-row.tsx";
import { buildRows, URGENT_SECTION, type FeedRowContent, type FeedRun } from "./feed-rows.ts";
import { useHeldBackItems } from "./use-held-back-items.ts";
import { OlderItemsLoader } from "./older-items-loader.tsx";
import { useVisibleRows, type VisibleRows } from "./use-visible-rows.ts";
import { useExpandedRuns } from "./use-expanded-runs.ts";
import { useToday } from "./use-today.ts";

/** Number of remaining rows below the screen at which older ones are loaded. */
const LOAD_AHEAD_ROWS = 40;

/** The notifications of the list and how it shows them. */
export interface FeedListProps {
  readonly filter: FeedFilter;
  readonly feed: FeedItems;
  /** Urgent notifications, which are on top. */
  readonly urgentItems: readonly FeedItem[];
  readonly openedId: string | null;
  readonly density: Density;
}

/** The notifications by day, urgent ones first. Only rows near the screen are in the document. */
export function FeedList({ filter, feed, urgentItems, openedId, density }: FeedListProps) {
  const { items, nextCursor } = feed;
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const listRef = useRef<HTMLDivElement>(null);
  const { rowContents, heldBackCount, showAll, toggleRun } = useRowContents({
    items,
    urgentItems,
    openedId,
  });
  const openedIndex = rowContents.findIndex((content) =>
    content.items.some(({ id }) => id === openedId),
  );
  const { rows, height, margin, measure } = useVisibleRows({
    list: listRef,
    filter,
    density,
    rowContents,
    openedIndex,
  });
  // Rerenders at midnight, when the names of the days change.
  useToday();
  const lastIndex = rows.at(-1)?.index ?? 0;
  const lastVisibleId = rowContents[lastIndex]?.items.at(-1)?.id;
  useEffect(() => {
    if (lastVisibleId !== undefined) storeScrollDepth(queryClient, filter, lastVisibleId);
  }, [queryClient, filter, lastVisibleId]);
  return (
    <div>
      <NewItemsButton count={heldBackCount} onPress={showAll} />
      <div
        ref={listRef}
        role="feed"
        aria-label={t("feed.title")}
        aria-busy={nextCursor !== null}
        className={classes["rows"]}
        data-density={density}
        style={{ height }}
      >
        <Rows
          rowContents={rowContents}
          rows={rows}
          margin={margin}
          openedIndex={openedIndex}
          total={nextCursor === null ? rowContents.length : -1}
          measure={measure}
          onToggle={toggleRun}
        />
      </div>
      <OlderItemsLoader
        filter={filter}
        cursor={nextCursor}
        count={items.length}
        isNearEnd={lastIndex >= rowContents.length - LOAD_AHEAD_ROWS}
      />
    </div>
  );
}

interface RowsProps extends Pick<VisibleRows, "rows" | "margin" | "measure"> {
  readonly rowContents: readonly FeedRowContent[];
  readonly openedIndex: number;
  /** Total number of rows; -1 while unknown. */
  readonly total: number;
  readonly onToggle: (run: FeedRun) => void;
}

function Rows({ rowContents, rows, margin, openedIndex, total, measure, onToggle }: RowsProps) {
  return rows.map(({ index, key, start }) => {
    const row = rowContents[index];
    if (row === undefined) return null;
    return (
      <FeedRow
        key={key}
        row={row}
        index={index}
        total={total}
        start={start - margin}
        heading={rowContents[index - 1]?.section === row.section ? null : formatHeading(row)}
        isLastOfSection={rowContents[index + 1]?.section !== row.section}
        isOpened={index === openedIndex}
        measure={measure}
        onToggle={onToggle}
      />
    );
  });
}

function formatHeading({ section, item }: FeedRowContent): string {
  return section === URGENT_SECTION ? i18next.t("feed.urgent") : formatDay(item.createdAt);
}

interface RowContentsInput {
  readonly items: readonly FeedItem[];
  readonly urgentItems: readonly FeedItem[];
  readonly openedId: string | null;
}

/**
 * Returns the rows, the number of new notifications that are not shown yet, and functions that show them or toggle a
 * run.
 */
function useRowContents({ items, urgentItems, openedId }: RowContentsInput) {
  const { visibleItems, heldBackCount, showAll } = useHeldBackItems(items);
  const { expandedIds, toggleRun } = useExpandedRuns(openedId);
  const newestVisibleId = heldBackCount === 0 ? null : (visibleItems[0]?.id ?? "");
  const rowContents = useMemo(() => {
    const visibleUrgentItems =
      newestVisibleId === null
        ? urgentItems
        : urgentItems.filter(({ id }) => id <= newestVisibleId);
    return buildRows({ items: visibleItems, urgentItems: visibleUrgentItems, expandedIds });
  }, [visibleItems, urgentItems, expandedIds, newestVisibleId]);
  return { rowContents, heldBackCount, showAll, toggleRun };
}

function NewItemsButton({
  count,
  onPress,
}: {
  readonly count: number;
  readonly onPress: () => void;
}) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <div className={classes["pill"]}>
      <Button
        size="xs"
        radius="xl"
        leftSection={<IconArrowUp size={14} aria-hidden />}
        onClick={onPress}
      >
        {t("feed.newCount", { count })}
      </Button>
    </div>
  );
}
