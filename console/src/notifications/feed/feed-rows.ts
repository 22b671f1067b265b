import type { FeedItem } from "@tocsin/sdk";
import { dayOf } from "./day.ts";
import { isBlank } from "./title.ts";

/** Notifications that say the same, one after the other. */
export interface FeedRun {
  /** Newest first. */
  readonly all: readonly FeedItem[];
  readonly isOpen: boolean;
}

/** A row of the feed. */
export interface FeedRowEntry {
  /** Stays the same while newer repeats come. */
  readonly key: string;
  /** The one that the row shows. */
  readonly item: FeedItem;
  /** What one press acts on: the item, and while they are folded into one row, those that it repeats, newest first. */
  readonly items: readonly FeedItem[];
  /** Where the row begins a run of repeats: all of them, and whether all are shown. */
  readonly run: FeedRun | null;
  /** Whether the row belongs to the run that an earlier row begins. */
  readonly isRepeat: boolean;
  /** Under which heading it stands: the day on which it came, or that it is urgent. */
  readonly section: string;
}

/** A longer run is several rows: one press acts on so many at most. */
const RUN_MAX = 100;

/** The section of what is time-sensitive and unread. */
export const URGENT = "urgent";

interface FeedRowsInput {
  /** Newest first. */
  readonly items: readonly FeedItem[];
  /** Those that stand on top of all others, newest first. */
  readonly urgent: readonly FeedItem[];
  /** Ids of notifications whose runs are shown whole. */
  readonly opened: ReadonlySet<string>;
}

/** Returns the rows of a feed: what is urgent, then the days; what repeats the one before it is folded into one row. */
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

/** Returns the notifications in the order in which the feed shows them. */
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

/** Without a title that can be seen, two say the same only by chance. */
function isRepeated(one: FeedItem, other: FeedItem): boolean {
  return (
    one.channel === other.channel &&
    one.title === other.title &&
    one.teamId === other.teamId &&
    !isBlank(one.title)
  );
}
