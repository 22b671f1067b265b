import { sql, type Kysely } from "kysely";
import { leastIdAt } from "#ids.ts";
import type { Schema } from "./schema.ts";

/**
 * The tables that on PostgreSQL have a partition for every day, with the column of the notification's id, which begins
 * with its time. What refers to a notification stands before it: days go in this order.
 */
export const DAY_TABLES = {
  feed_entry: "notification_id",
  feed_read: "notification_id",
  delivery_page: "notification_id",
  notification: "id",
} as const;

export type DayTable = keyof typeof DAY_TABLES;

/** The names of the tables, in the order in which days go. */
export const DAY_TABLE_NAMES: readonly DayTable[] = [
  "feed_entry",
  "feed_read",
  "delivery_page",
  "notification",
];

/** Ids from `from` up to `to`, this one not among them; null has no end. */
export interface DayPartition {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

export const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long a change of partitions waits for those who read: everybody else waits behind it. */
export const LOCK_TIMEOUT_MS = 100;
/** So often it tries. */
export const TRIES_MAX = 20;
/** Those who waited go first. */
export const PAUSE_MS = 250;

/** Returns the beginning of the day, in UTC, that a moment is in. */
export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

/** Returns the name of the partition that begins with a day: `notification_from_20260131`. */
export function partitionName(table: DayTable, day: number): string {
  return `${table}_from_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

/** Returns the name of the partition of what is later than all days: in use only where nobody made days in time. */
export function restName(table: DayTable): string {
  return `${table}_rest`;
}

/** Returns the partitions of a table, the oldest first. */
export async function partitionsOf(
  db: Kysely<Schema>,
  table: DayTable,
): Promise<readonly DayPartition[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    select part.relname as name, pg_get_expr(part.relpartbound, part.oid) as bounds
    from pg_inherits join pg_class part on part.oid = inhrelid
    where inhparent = to_regclass(${table})`.execute(db);
  return rows
    .map(({ name, bounds }) => ({ name, ...boundsOf(bounds) }))
    .toSorted((one, other) => ((one.from ?? "") < (other.from ?? "") ? -1 : 1));
}

/** Returns what follows `for values` where a partition is made. */
export function rangeText({ from, to }: Pick<DayPartition, "from" | "to">): string {
  return `from (${boundText(from, "minvalue")}) to (${boundText(to, "maxvalue")})`;
}

/** Returns the bound of the ids of a day. */
export function dayBound(day: number): string {
  return leastIdAt(day);
}

function boundText(id: string | null, none: string): string {
  return id === null ? none : `'${id}'`;
}

/** Such as `FOR VALUES FROM ('0198…') TO (MAXVALUE)`. */
function boundsOf(text: string): Pick<DayPartition, "from" | "to"> {
  const [, from, to] =
    /FROM \((?:'([^']*)'|MINVALUE)\) TO \((?:'([^']*)'|MAXVALUE)\)/.exec(text) ?? [];
  return { from: from ?? null, to: to ?? null };
}
