import type { ProviderName } from "./provider.ts";

/** The periods that activity can cover, in days, including today. */
export const ACTIVITY_DAYS = [7, 30, 90] as const;

/** A period of activity, in days. */
export type ActivityDays = (typeof ACTIVITY_DAYS)[number];

/** The query that selects a period of activity. */
export interface ActivityQuery {
  readonly days?: ActivityDays;
  /** `server` covers all accounts; only administrators may request it. */
  readonly scope?: "own" | "server";
}

/** The number of ended deliveries by result. */
export interface EndedCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The activity of one day, in UTC. */
export interface ActivityDay extends EndedCounts {
  /** For example `2026-05-04`. */
  readonly day: string;
  /** Notifications sent on this day that are still stored. */
  readonly sent: number;
}

/** The notifications sent over some days, with their results. */
export interface Activity {
  readonly days: readonly ActivityDay[];
  readonly providers: readonly ({ readonly provider: ProviderName } & EndedCounts)[];
  /** The reasons for failed deliveries, most frequent first. */
  readonly errors: readonly { readonly code: string; readonly count: number }[];
  /** The approximate time from acceptance to hand-over; null if nothing was handed over. */
  readonly handOverMs: { readonly p50: number; readonly p95: number } | null;
  /** Notifications that have unfinished deliveries now; the count stops at 10,000. */
  readonly waiting: number;
  /** The server's queue now; null unless an administrator requests the scope `server`. */
  readonly queue: {
    readonly jobs: number;
    readonly due: number;
    readonly oldestDueMs: number;
  } | null;
}
