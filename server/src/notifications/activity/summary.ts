import {
  DELIVERY_STATE_GROUPS,
  type Activity,
  type ActivityDay,
  type EndedCounts,
  type ProviderName,
} from "@tocsin/sdk";
import { toDay, paceToMs } from "#delivery/result/activity.ts";
import type { FinalState } from "#delivery/delivery.ts";
import { DAY_MS } from "#schema/timestamp.ts";

/** The maximum number of failure reasons in a summary. */
const ERRORS_MAX = 8;

/** The number of deliveries with the same result on one day. */
export interface ActivityRow {
  /** Days since the epoch, in UTC. */
  readonly day: number;
  readonly provider: ProviderName;
  readonly state: FinalState;
  readonly code: string;
  /** The time from acceptance to hand-over, as `toPace` returns it; 0 if no push service accepted. */
  readonly pace: number;
  readonly count: number;
}

/** The counts to summarize. */
export interface SummaryInput {
  readonly rows: readonly ActivityRow[];
  /** The reported days in order, with the number of notifications sent. */
  readonly sent: readonly { readonly day: number; readonly count: number }[];
}

/** Returns the last `count` UTC days as days since the epoch, oldest first. The last one is the day of `now`. */
export function listLastDays(now: number, count: number): readonly number[] {
  const today = toDay(now);
  return Array.from({ length: count }, (_, index) => today - count + 1 + index);
}

/** Summarizes the rows of several days. */
export function summarizeActivity({
  rows,
  sent,
}: SummaryInput): Omit<Activity, "waiting" | "queue"> {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  const byProvider = Map.groupBy(rows, ({ provider }) => provider);
  return {
    days: sent.map(({ day, count }): ActivityDay => {
      const date = new Date(day * DAY_MS).toISOString().slice(0, "2026-01-31".length);
      return { day: date, sent: count, ...countByStateGroup(byDay.get(day) ?? []) };
    }),
    providers: [...byProvider]
      .map(([provider, group]) => ({ provider, ...countByStateGroup(group) }))
      .toSorted((one, other) => (one.provider < other.provider ? -1 : 1)),
    errors: countErrors(rows),
    handOverMs: computeHandOverPercentiles(rows.filter(({ state }) => state === "accepted")),
  };
}

function countByStateGroup(rows: readonly ActivityRow[]): EndedCounts {
  const count = (group: "delivered" | "failed" | "skipped") => {
    const states: readonly string[] = DELIVERY_STATE_GROUPS[group];
    return sumCounts(rows.filter(({ state }) => states.includes(state)));
  };
  return { delivered: count("delivered"), failed: count("failed"), skipped: count("skipped") };
}

function countErrors(rows: readonly ActivityRow[]): Activity["errors"] {
  const failedStates: readonly string[] = DELIVERY_STATE_GROUPS.failed;
  const byCode = Map.groupBy(
    rows.filter(({ state }) => failedStates.includes(state)),
    ({ code }) => code,
  );
  return [...byCode]
    .map(([code, group]) => ({ code, count: sumCounts(group) }))
    .toSorted((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1))
    .slice(0, ERRORS_MAX);
}

function computeHandOverPercentiles(rows: readonly ActivityRow[]): Activity["handOverMs"] {
  const total = sumCounts(rows);
  if (total === 0) return null;
  const sortedRows = rows.toSorted((one, other) => one.pace - other.pace);
  const percentile = (share: number) => {
    let remaining = total * share;
    const row = sortedRows.find(({ count }) => (remaining -= count) <= 0);
    return paceToMs(row?.pace ?? 1);
  };
  return { p50: percentile(0.5), p95: percentile(0.95) };
}

function sumCounts(rows: readonly ActivityRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}
