/** A day of the audit log is a UTC day, by the time in the ids of its events. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** Retention of events. */
export const RETENTION_MS = 365 * DAY_MS;

/** Retention of network addresses. */
export const ADDRESS_RETENTION_MS = 30 * DAY_MS;

/**
 * Delay after its end before a day is chained: transactions begun before midnight have committed, and the clocks of all
 * nodes have passed it.
 */
export const SEAL_DELAY_MS = 60 * 60 * 1_000;

/** Returns the day of a moment, in days since the epoch. */
export function dayAt(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** Returns a day as people write it, such as `2026-01-31`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
