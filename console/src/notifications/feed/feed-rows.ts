import type { FeedItem } from "@tocsin/sdk";
import { toLocalDay } from "./format-day.ts";
import { isBlank } from "./display-title.ts";

/** A run of repeats: consecutive notifications of a section with the same title, channel and team. */
export interface FeedRun {
  /** Newest first. */
  readonly items: readonly FeedItem[];
  readonly isExpanded: boolean;
}

/** A row of the feed. */
export interface FeedRowContent {
  /** Does not change when newer repeats arrive. */
  readonly key: string;
  /** The notification in the row. */
  readonly item: FeedItem;
  /** The notifications that an action applies to: the item and, if its run is collapsed, its repeats. Newest first. */
  readonly items: readonly FeedItem[];
  /** The run that starts with this row; null if there are no repeats. */
  readonly run: FeedRun | null;
  /** Whether the row belongs to a run that starts with an earlier row. */
  readonly isRepeat: boolean;
  /** The section of the row: the day of the notification, or `URGENT_SECTION`. */
  readonly section: string;
}

/** Maximum length of a run. It limits the number of notifications that one action changes. */
const RUN_LENGTH_MAX = 100;

/** The section of unread time-sensitive notifications. */
export const URGENT_SECTION = "urgent";

interface FeedRowsInput {
  /** Newest first. */
  readonly items: readonly FeedItem[];
  /** Notifications in the urgent section, newest first. */
  readonly urgentItems: readonly FeedItem[];
  /** Ids of notifications in expanded runs. */
  readonly expandedIds: ReadonlySet<string>;
}

/**
 * Returns the rows of a feed: urgent notifications first, then by day. Collapses repeated notifications into one row.
 */
export function buildRows({
  items,
  urgentItems,
  expandedIds,
}: FeedRowsInput): readonly FeedRowContent[] {
  const sortedItems = putUrgentFirst(items, urgentItems);
  const urgentIds = new Set(urgentItems.map(({ id }) => id));
  const getSection = ({ id, createdAt }: FeedItem) =>
    urgentIds.has(id) ? URGENT_SECTION : toLocalDay(createdAt);
  const rows: FeedRowContent[] = [];
  let run: FeedItem[] = [];
  for (const [index, item] of sortedItems.entries()) {
    run.push(item);
    const nextItem = sortedItems[index + 1];
    const section = getSection(item);
    const isContinued =
      nextItem !== undefined && areRepeats(item, nextItem) && getSection(nextItem) === section;
    if (isContinued && run.length < RUN_LENGTH_MAX) continue;
    rows.push(
      ...buildRunRows({ run, section, isExpanded: run.some(({ id }) => expandedIds.has(id)) }),
    );
    run = [];
  }
  return rows;
}

/** Returns the notifications in display order, urgent ones first. */
export function putUrgentFirst(
  items: readonly FeedItem[],
  urgentItems: readonly FeedItem[],
): readonly FeedItem[] {
  if (urgentItems.length === 0) return items;
  const ids = new Set(urgentItems.map(({ id }) => id));
  return [...urgentItems, ...items.filter(({ id }) => !ids.has(id))];
}

interface RunInput {
  /** At least one notification. */
  readonly run: readonly FeedItem[];
  readonly section: string;
  readonly isExpanded: boolean;
}

function buildRunRows({ run, section, isExpanded }: RunInput): readonly FeedRowContent[] {
  const visibleItems = isExpanded ? run : run.slice(0, 1);
  const oldestId = run.at(-1)?.id ?? "";
  return visibleItems.map((item, index) => ({
    key: index === 0 ? oldestId : `repeat-${item.id}`,
    item,
    items: isExpanded ? [item] : run,
    run: index === 0 && run.length > 1 ? { items: run, isExpanded } : null,
    isRepeat: index > 0,
    section,
  }));
}

/**
 * Returns whether two notifications repeat each other. Notifications without a visible title never do, nor do
 * notifications with an open prompt, because each prompt waits for its own answer.
 */
function areRepeats(a: FeedItem, b: FeedItem): boolean {
  return (
    a.channel === b.channel &&
    a.title === b.title &&
    a.teamId === b.teamId &&
    a.promptState !== "open" &&
    b.promptState !== "open" &&
    !isBlank(a.title)
  );
}
