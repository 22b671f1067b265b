import { DAY_MS } from "#schema/moment.ts";

/** Retention of events. */
export const RETENTION_MS = 365 * DAY_MS;

/** Retention of network addresses. */
export const ADDRESS_RETENTION_MS = 30 * DAY_MS;

/**
 * Delay after its end before a day is chained: transactions begun before midnight have committed, and the clocks of all
 * nodes have passed it.
 */
export const SEAL_DELAY_MS = 60 * 60 * 1_000;

/** Returns the UTC day of a moment, in days since the epoch; that of an event of the audit log is by the time in its id. */
export function dayAt(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** Returns a day as people write it, such as `2026-01-31`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
