import type { ProviderName } from "./provider.ts";

/** The periods that activity can cover, in days, including today. */
export const ACTIVITY_DAYS = [7, 30, 90] as const;

/** A period of activity, in days. */
export type ActivityDays = (typeof ACTIVITY_DAYS)[number];

/** The query of activity. */
export interface ActivityQuery {
  readonly days?: ActivityDays;
  /** `server` is for administrators: the activity of all accounts together. */
  readonly scope?: "own" | "server";
}

/** The number of ended deliveries by result. */
export interface EndedCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: number;
}

/** One day, in UTC. */
export interface ActivityDay extends EndedCounts {
  /** For example `2026-05-04`. */
  readonly day: string;
  /** Notifications, as long as they are kept. */
  readonly sent: number;
}

/** The notifications sent over some days, with their results. */
export interface Activity {
  readonly days: readonly ActivityDay[];
  readonly providers: readonly ({ readonly provider: ProviderName } & EndedCounts)[];
  /** The reasons that deliveries failed, most frequent first. */
  readonly errors: readonly { readonly code: string; readonly count: number }[];
  /** From acceptance to hand-over, approximately; null if nothing was handed over. */
  readonly handOverMs: { readonly p50: number; readonly p95: number } | null;
  /** Notifications with unfinished deliveries now, counted up to 10,000. */
  readonly waiting: number;
  /** The server's queue now; null except for administrators who ask for the server. */
  readonly queue: {
    readonly jobs: number;
    readonly due: number;
    readonly oldestDueMs: number;
  } | null;
}
