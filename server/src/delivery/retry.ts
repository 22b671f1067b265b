import type { ReasonCode } from "#providers/provider.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after the first, second, … failed attempt; the last one repeats until the notification expires. */
const SCHEDULE_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE] as const;

/** A service that is asking us to slow down is asked again after this, doubling. */
const THROTTLED_MS = MINUTE;
const THROTTLED_MAX_MS = HOUR;

/** Refused credentials are tried again this often: an operator has to mend them first. */
export const HOLD_MS = 5 * MINUTE;

/** An address doubted for this long is believed to be gone. */
export const SUSPECT_MS = HOUR;

export interface RetryInput {
  readonly code: ReasonCode;
  /** Failed attempts so far, the last included. */
  readonly attempts: number;
  /** What the push service asked for at least. */
  readonly afterMs: number | null;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * Returns how long to wait before the next attempt, in milliseconds: spread by a fifth either way, and never
 * sooner than the push service asked for.
 */
export function retryDelayMs({ code, attempts, afterMs, random }: RetryInput): number {
  // A service that names no wait is given a long one.
  const isVague = code === "rate_limited" && afterMs === null;
  const base = isVague ? throttled(attempts) : scheduled(attempts);
  const spread = base * (0.8 + 0.4 * random);
  if (afterMs === null) return Math.round(spread);
  // Everybody who was told the same moment would come back at once.
  return Math.round(Math.max(spread, afterMs * (1 + 0.1 * random)));
}

function scheduled(attempts: number): number {
  const index = Math.min(Math.max(attempts, 1), SCHEDULE_MS.length) - 1;
  return SCHEDULE_MS[index] ?? SCHEDULE_MS[4];
}

function throttled(attempts: number): number {
  return Math.min(THROTTLED_MS * 2 ** Math.max(0, attempts - 1), THROTTLED_MAX_MS);
}
