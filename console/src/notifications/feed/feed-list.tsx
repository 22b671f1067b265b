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
import { storeDepth } from "./feed-queries.ts";
import { FeedRow } from "./feed-row.tsx";
import { buildRows, URGENT, type FeedRowEntry, type FeedRun } from "./feed-rows.ts";
import { useHeldBack } from "./use-held-back.ts";
import { LoadOlder } from "./load-older.tsx";
import { useFeedRows, type FeedRows } from "./use-feed-rows.ts";
import { useOpenRuns } from "./use-open-runs.ts";
import { useToday } from "./use-today.ts";

/** Number of remaining rows below the screen at which older ones are loaded. */
const LOAD_AHEAD_ROWS = 40;

export interface FeedListProps {
  readonly filter: FeedFilter;
  readonly feed: FeedItems;
  /** Urgent notifications, which are on top. */
  readonly urgent: readonly FeedItem[];
  readonly openedId: string | null;
  readonly density: Density;
}

/** The notifications by day, urgent ones first. Only rows near the screen are in the document. */
export function FeedList({ filter, feed, urgent, openedId, density }: FeedListProps) {
  const { items, nextCursor } = feed;
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const list = useRef<HTMLDivElement>(null);
  const { entries, count, release, onToggle } = useEntries({ items, urgent, openedId });
  const openedAt = entries.findIndex((entry) => entry.items.some(({ id }) => id === openedId));
  const { rows, height, margin, measure } = useFeedRows({
    list,
    filter,
    density,
    entries,
    openedAt,
  });
  // Rerenders at midnight, when the names of the days change.
  useToday();
  const lastIndex = rows.at(-1)?.index ?? 0;
  const deepest = entries[lastIndex]?.items.at(-1)?.id;
  useEffect(() => {
    if (deepest !== undefined) storeDepth(queryClient, filter, deepest);
  }, [queryClient, filter, deepest]);
  return (
    <div>
      <NewItemsButton count={count} onPress={release} />
      <div
        ref={list}
        role="feed"
        aria-label={t("feed.title")}
        aria-busy={nextCursor !== null}
        className={classes["rows"]}
        data-density={density}
        style={{ height }}
      >
        <Rows
          entries={entries}
          rows={rows}
          margin={margin}
          openedAt={openedAt}
          total={nextCursor === null ? entries.length : -1}
          measure={measure}
          onToggle={onToggle}
        />
      </div>
      <LoadOlder
        filter={filter}
        cursor={nextCursor}
        count={items.length}
        isNear={lastIndex >= entries.length - LOAD_AHEAD_ROWS}
      />
    </div>
  );
}

interface RowsProps extends Pick<FeedRows, "rows" | "margin" | "measure"> {
  readonly entries: readonly FeedRowEntry[];
  readonly openedAt: number;
  /** Total number of rows; -1 while unknown. */
  readonly total: number;
  readonly onToggle: (run: FeedRun) => void;
}

function Rows({ entries, rows, margin, openedAt, total, measure, onToggle }: RowsProps) {
  return rows.map(({ index, key, start }) => {
    const row = entries[index];
    if (row === undefined) return null;
    return (
      <FeedRow
        key={key}
        row={row}
        index={index}
        total={total}
        start={start - margin}
        heading={entries[index - 1]?.section === row.section ? null : formatHeading(row)}
        isLastOfSection={entries[index + 1]?.section !== row.section}
        isOpened={index === openedAt}
        measure={measure}
        onToggle={onToggle}
      />
    );
  });
}

function formatHeading({ section, item }: FeedRowEntry): string {
  return section === URGENT ? i18next.t("feed.urgent") : formatDay(item.createdAt);
}

interface EntriesInput {
  readonly items: readonly FeedItem[];
  readonly urgent: readonly FeedItem[];
  readonly openedId: string | null;
}

/** Returns the rows and the number of new notifications that are not shown yet. */
function useEntries({ items, urgent, openedId }: EntriesInput) {
  const { visible, count, release } = useHeldBack(items);
  const { opened, onToggle } = useOpenRuns(openedId);
  const newest = count === 0 ? null : (visible[0]?.id ?? "");
  const entries = useMemo(() => {
    const visibleUrgent = newest === null ? urgent : urgent.filter(({ id }) => id <= newest);
    return buildRows({ items: visible, urgent: visibleUrgent, opened });
  }, [visible, urgent, opened, newest]);
  return { entries, count, release, onToggle };
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
        {t("feed.newOnes", { count })}
      </Button>
    </div>
  );
}
