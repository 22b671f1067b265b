import { sql, type Kysely } from "kysely";
import { toMinId } from "#ids.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import type { Schema } from "./schema.ts";

/**
 * The tables with a partition for every day on PostgreSQL, and their columns with the notification's id. The id
 * begins with the time of the notification. Tables that refer to a notification come before it, because days are
 * dropped in this order.
 */
export const DAY_TABLES = {
  feed_entry: "notification_id",
  feed_read: "notification_id",
  delivery_page: "notification_id",
  notification: "id",
} as const;

/** The name of a table with a partition for every day. */
export type DayTable = keyof typeof DAY_TABLES;

/** The names of the tables, in the order of dropping days. */
export const DAY_TABLE_NAMES: readonly DayTable[] = [
  "feed_entry",
  "feed_read",
  "delivery_page",
  "notification",
];

/** A partition for the ids from `from` (inclusive) to `to` (exclusive); null is unbounded. */
export interface DayPartition {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Longest wait for the lock of a partition change. Meanwhile all other queries wait behind the change. */
export const LOCK_TIMEOUT_MS = 100;
/** The maximum number of attempts to change a partition. */
export const ATTEMPTS_MAX = 20;
/** Pause between two attempts, in which the waiting queries run. */
export const RETRY_PAUSE_MS = 250;

/** Returns the start of the UTC day that contains a time. */
export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

/** Returns the name of the partition that begins with a day: `notification_from_20260131`. */
export function formatPartitionName(table: DayTable, day: number): string {
  return `${table}_from_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

/**
 * Returns the name of the partition after the last day. The partition gets rows only if days were not created in time.
 */
export function getCatchAllPartitionName(table: DayTable): string {
  return `${table}_rest`;
}

/** Returns the partitions of a table, the oldest first. */
export async function listPartitions(
  db: Kysely<Schema>,
  table: DayTable,
): Promise<readonly DayPartition[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    select part.relname as name, pg_get_expr(part.relpartbound, part.oid) as bounds
    from pg_inherits join pg_class part on part.oid = inhrelid
    where inhparent = to_regclass(${table})`.execute(db);
  return rows
    .map(({ name, bounds }) => ({ name, ...parseBounds(bounds) }))
    .toSorted((one, other) => ((one.from ?? "") < (other.from ?? "") ? -1 : 1));
}

/** Returns the bounds that follow `for values` in the statement that creates a partition. */
export function formatBounds({ from, to }: Pick<DayPartition, "from" | "to">): string {
  return `from (${formatBound(from, "minvalue")}) to (${formatBound(to, "maxvalue")})`;
}

/** Returns the lowest id that a day can have: the bound between the day's partition and the previous one. */
export function getLowestId(day: number): string {
  return toMinId(day);
}

function formatBound(id: string | null, unbounded: string): string {
  return id === null ? unbounded : `'${id}'`;
}

/** Parses bounds such as `FOR VALUES FROM ('0198…') TO (MAXVALUE)`. */
function parseBounds(text: string): Pick<DayPartition, "from" | "to"> {
  const [, from, to] =
    /FROM \((?:'([^']*)'|MINVALUE)\) TO \((?:'([^']*)'|MAXVALUE)\)/.exec(text) ?? [];
  return { from: from ?? null, to: to ?? null };
}
