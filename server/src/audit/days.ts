/** A day of the audit log is one of UTC, by the time in the ids of its events. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** Events are kept so long. */
export const RETENTION_MS = 365 * DAY_MS;

/** Network addresses are kept so long. */
export const ADDRESS_RETENTION_MS = 30 * DAY_MS;

/**
 * A day is sealed so long after its end: what was begun before midnight is committed by then, and the clocks of all nodes
 * have passed it.
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
