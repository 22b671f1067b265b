/** A waiting time as a whole number and its unit. */
export interface RoundedWait {
  readonly unit: "seconds" | "minutes" | "hours";
  readonly count: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Returns a waiting time, rounded up, in the largest unit that fits into it more than twice. */
export function roundUpWait(waitMs: number): RoundedWait {
  if (waitMs > 2 * HOUR_MS) return { unit: "hours", count: Math.ceil(waitMs / HOUR_MS) };
  if (waitMs > 2 * MINUTE_MS) return { unit: "minutes", count: Math.ceil(waitMs / MINUTE_MS) };
  return { unit: "seconds", count: Math.max(1, Math.ceil(waitMs / SECOND_MS)) };
}
