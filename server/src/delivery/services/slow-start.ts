/** Duration of a slow start; … */
export const SLOW_START_MS = 60_000;
/** … its first rate, as a part of the usual one; … */
const FIRST_PART = 0.1;
/** … the usual rate, in messages per second, of a service that is not known to take more; … */
const USUAL_MIN = 200;
/** … and the messages that go at once: a small backlog needs no slow start. */
const AT_ONCE = 50;

/**
 * Returns how many messages may have been released to a service that recovered `elapsedMs` ago: the rate grows tenfold in a
 * minute, from a tenth of the usual one.
 */
export function releasedBy(elapsedMs: number, usualPerSecond: number): number {
  const first = FIRST_PART * Math.max(usualPerSecond, USUAL_MIN);
  const growth = Math.log(1 / FIRST_PART) / SLOW_START_MS;
  return AT_ONCE + (first / 1_000) * ((Math.exp(growth * elapsedMs) - 1) / growth);
}

/**
 * Returns when one of many jobs that wait for a moment is due, in milliseconds after the first: they are spread as
 * `releasedBy` grows. `random` is from 0 up to 1.
 */
export function slowStartDelayMs(random: number): number {
  const span = 1 / FIRST_PART - 1;
  return (SLOW_START_MS * Math.log(1 + span * random)) / Math.log(1 / FIRST_PART);
}
