/** Duration of a slow start. */
export const SLOW_START_MS = 60_000;
/** First rate of a slow start, as a share of the usual rate. */
const FIRST_SHARE = 0.1;
/** Smallest usual rate to assume, in messages per second. */
const USUAL_PER_SECOND_MIN = 200;
/** Number of messages that are released immediately, because a small backlog needs no slow start. */
const IMMEDIATE_MAX = 50;

/**
 * Returns how many messages may have been released in total `elapsedMs` after a service recovered. The rate grows
 * tenfold in a minute, from a tenth of the usual rate; the result is the integral of that rate, plus the messages that
 * are released immediately.
 */
export function computeReleaseLimit(elapsedMs: number, usualPerSecond: number): number {
  const first = FIRST_SHARE * Math.max(usualPerSecond, USUAL_PER_SECOND_MIN);
  const growth = Math.log(1 / FIRST_SHARE) / SLOW_START_MS;
  return IMMEDIATE_MAX + (first / 1_000) * ((Math.exp(growth * elapsedMs) - 1) / growth);
}

/**
 * Returns a random delay in milliseconds for one of many jobs that would become due together. With these delays, the
 * number of due jobs grows like `computeReleaseLimit`. `random` is from 0 up to 1.
 */
export function computeSlowStartDelayMs(random: number): number {
  const span = 1 / FIRST_SHARE - 1;
  return (SLOW_START_MS * Math.log(1 + span * random)) / Math.log(1 / FIRST_SHARE);
}
