import type { FeedItem } from "@tocsin/sdk";
import { dayOf } from "./day.ts";
import { isBlank } from "./title.ts";

/** Consecutive notifications with the same content. */
export interface FeedRun {
  /** Newest first. */
  readonly all: readonly FeedItem[];
  readonly isOpen: boolean;
}

/** A row of the feed. */
export interface FeedRowEntry {
  /** Stays the same while newer repeats come. */
  readonly key: string;
  /** The notification that the row shows. */
  readonly item: FeedItem;
  /** Notifications that one press acts on: the item and, while its run is folded, its repeats, newest first. */
  readonly items: readonly FeedItem[];
  /** Run of repeats that begins with this row: all of them, and whether all are shown. */
  readonly run: FeedRun | null;
  /** Whether the row belongs to a run that an earlier row begins. */
  readonly isRepeat: boolean;
  /** Heading of its section: the day on which it came, or `URGENT`. */
  readonly section: string;
}

/** Longest run in one row, which limits what one press acts on. */
const RUN_MAX = 100;

/** Section of time-sensitive, unread notifications. */
export const URGENT = "urgent";

interface FeedRowsInput {
  /** Newest first. */
  readonly items: readonly FeedItem[];
  /** Notifications above all others, newest first. */
  readonly urgent: readonly FeedItem[];
  /** Ids of notifications whose runs are expanded. */
  readonly opened: ReadonlySet<string>;
}

/**
 * Returns the rows of a feed: urgent ones, then the days; repeats of the notification before are folded into one row.
 */
export function rowsOf({ items, urgent, opened }: FeedRowsInput): readonly FeedRowEntry[] {
  const ordered = inOrder(items, urgent);
  const urgentIds = new Set(urgent.map(({ id }) => id));
  const sectionOf = ({ id, createdAt }: FeedItem) =>
    urgentIds.has(id) ? URGENT : dayOf(createdAt);
  const rows: FeedRowEntry[] = [];
  let run: FeedItem[] = [];
  for (const [index, item] of ordered.entries()) {
    run.push(item);
    const next = ordered[index + 1];
    const section = sectionOf(item);
    const goesOn = next !== undefined && isRepeated(item, next) && sectionOf(next) === section;
    if (goesOn && run.length < RUN_MAX) continue;
    rows.push(...rowsOfRun({ run, section, isOpen: run.some(({ id }) => opened.has(id)) }));
    run = [];
  }
  return rows;
}

/** Returns the notifications in the order of the feed. */
export function inOrder(
  items: readonly FeedItem[],
  urgent: readonly FeedItem[],
): readonly FeedItem[] {
  if (urgent.length === 0) return items;
  const ids = new Set(urgent.map(({ id }) => id));
  return [...urgent, ...items.filter(({ id }) => !ids.has(id))];
}

interface RunInput {
  /** At least one. */
  readonly run: readonly FeedItem[];
  readonly section: string;
  readonly isOpen: boolean;
}

function rowsOfRun({ run, section, isOpen }: RunInput): readonly FeedRowEntry[] {
  const shown = isOpen ? run : run.slice(0, 1);
  const oldest = run.at(-1)?.id ?? "";
  return shown.map((item, index) => ({
    key: index === 0 ? oldest : `repeat-${item.id}`,
    item,
    items: isOpen ? [item] : run,
    run: index === 0 && run.length > 1 ? { all: run, isOpen } : null,
    isRepeat: index > 0,
    section,
  }));
}

/** Two notifications without a visible title match only by chance. */
function isRepeated(one: FeedItem, other: FeedItem): boolean {
  return (
    one.channel === other.channel &&
    one.title === other.title &&
    one.teamId === other.teamId &&
    !isBlank(one.title)
  );
}
