import type { FeedItem } from "@tocsin/sdk";
import { dayOf } from "./format-day.ts";
import { isBlank } from "./title.ts";

/** A run: consecutive notifications with the same title, channel and team. */
export interface FeedRun {
  /** Newest first. */
  readonly all: readonly FeedItem[];
  readonly isOpen: boolean;
}

/** A row of the feed. */
export interface FeedRowEntry {
  /** Does not change when newer repeats arrive. */
  readonly key: string;
  /** The notification in the row. */
  readonly item: FeedItem;
  /** The notifications that an action applies to: the item and, if its run is folded, its repeats. Newest first. */
  readonly items: readonly FeedItem[];
  /** The run that starts with this row; null if there are no repeats. */
  readonly run: FeedRun | null;
  /** Whether the row belongs to a run that starts with an earlier row. */
  readonly isRepeat: boolean;
  /** The section of the row: the day of the notification, or `URGENT`. */
  readonly section: string;
}

/** Maximum length of a run. It limits the number of notifications that one action changes. */
const RUN_LENGTH_MAX = 100;

/** The section of unread time-sensitive notifications. */
export const URGENT = "urgent";

interface FeedRowsInput {
  /** Newest first. */
  readonly items: readonly FeedItem[];
  /** Notifications in the urgent section, newest first. */
  readonly urgent: readonly FeedItem[];
  /** Ids of notifications in expanded runs. */
  readonly opened: ReadonlySet<string>;
}

/** Returns the rows of a feed: urgent notifications first, then by day. Folds repeated notifications into one row. */
export function buildRows({ items, urgent, opened }: FeedRowsInput): readonly FeedRowEntry[] {
  const sorted = sortUrgentFirst(items, urgent);
  const urgentIds = new Set(urgent.map(({ id }) => id));
  const sectionOf = ({ id, createdAt }: FeedItem) =>
    urgentIds.has(id) ? URGENT : dayOf(createdAt);
  const rows: FeedRowEntry[] = [];
  let run: FeedItem[] = [];
  for (const [index, item] of sorted.entries()) {
    run.push(item);
    const next = sorted[index + 1];
    const section = sectionOf(item);
    const continues = next !== undefined && isRepeated(item, next) && sectionOf(next) === section;
    if (continues && run.length < RUN_LENGTH_MAX) continue;
    rows.push(...buildRunRows({ run, section, isOpen: run.some(({ id }) => opened.has(id)) }));
    run = [];
  }
  return rows;
}

/** Returns the notifications in display order, urgent ones first. */
export function sortUrgentFirst(
  items: readonly FeedItem[],
  urgent: readonly FeedItem[],
): readonly FeedItem[] {
  if (urgent.length === 0) return items;
  const ids = new Set(urgent.map(({ id }) => id));
  return [...urgent, ...items.filter(({ id }) => !ids.has(id))];
}

interface RunInput {
  /** At least one notification. */
  readonly run: readonly FeedItem[];
  readonly section: string;
  readonly isOpen: boolean;
}

function buildRunRows({ run, section, isOpen }: RunInput): readonly FeedRowEntry[] {
  const visible = isOpen ? run : run.slice(0, 1);
  const oldest = run.at(-1)?.id ?? "";
  return visible.map((item, index) => ({
    key: index === 0 ? oldest : `repeat-${item.id}`,
    item,
    items: isOpen ? [item] : run,
    run: index === 0 && run.length > 1 ? { all: run, isOpen } : null,
    isRepeat: index > 0,
    section,
  }));
}

/** Returns whether two notifications are repeats. Notifications without a visible title never are. */
function isRepeated(a: FeedItem, b: FeedItem): boolean {
  return (
    a.channel === b.channel && a.title === b.title && a.teamId === b.teamId && !isBlank(a.title)
  );
}
