import { DAY_MS } from "#schema/timestamp.ts";

/**
 * Delay between the end of a day and its chaining. By then, transactions that started before midnight have committed,
 * and the clocks of all nodes have passed midnight.
 */
export const CHAIN_DELAY_MS = 60 * 60 * 1_000;

/** Returns the UTC day of a time, in days since the epoch. The day of an audit event comes from the time in its id. */
export function toDay(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** Formats a day as a date, such as `2026-01-31`. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
