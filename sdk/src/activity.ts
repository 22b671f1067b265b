import type { ProviderName } from "./provider.ts";

/** Over how many days activity can be told, today included. */
export const ACTIVITY_DAYS = [7, 30, 90] as const;

/** Over how many days. */
export type ActivityDays = (typeof ACTIVITY_DAYS)[number];

/** What activity is asked for. */
export interface ActivityQuery {
  readonly days?: ActivityDays;
  /** `server` is for administrators: everybody's together. */
  readonly scope?: "own" | "server";
}

/** How many deliveries ended how. */
export interface EndedCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: number;
}

/** One day, in UTC. */
export interface ActivityDay extends EndedCounts {
  /** Such as `2026-05-04`. */
  readonly day: string;
  /** Notifications, while they are kept. */
  readonly sent: number;
}

/** How much was sent over some days, and the results. */
export interface Activity {
  readonly days: readonly ActivityDay[];
  readonly providers: readonly ({ readonly provider: ProviderName } & EndedCounts)[];
  /** Why deliveries failed, most frequent first. */
  readonly errors: readonly { readonly code: string; readonly count: number }[];
  /** From acceptance to handing over, about; null where nothing was handed over. */
  readonly handOverMs: { readonly p50: number; readonly p95: number } | null;
  /** Notifications of which something is still owed, now; it is counted up to 10,000. */
  readonly waiting: number;
  /** What the server owes now; null for anybody but administrators who ask for the server. */
  readonly queue: {
    readonly jobs: number;
    readonly due: number;
    readonly oldestDueMs: number;
  } | null;
}
