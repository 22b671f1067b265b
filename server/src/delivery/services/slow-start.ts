/** A service that is back is given all again after this; … */
export const SLOW_START_MS = 60_000;
/** … and so much at first, in parts of what it usually takes. */
const FIRST_PART = 0.1;
/** What is not known to take more is given so many messages a second after the ramp. */
const USUAL_MIN = 200;
/** So few go at once: with little that waits, nobody notices a ramp. */
const AT_ONCE = 50;

/**
 * Returns how many messages may have been let out to a service that is back for `elapsedMs`: a rate that grows tenfold
 * in a minute, from a tenth of what it usually takes a second.
 */
export function letOutBy(elapsedMs: number, usualPerSecond: number): number {
  const first = FIRST_PART * Math.max(usualPerSecond, USUAL_MIN);
  const growth = Math.log(1 / FIRST_PART) / SLOW_START_MS;
  return AT_ONCE + (first / 1_000) * ((Math.exp(growth * elapsedMs) - 1) / growth);
}

/**
 * Returns when one of many comes back by itself, in milliseconds after the first: they are spread as `letOutBy` grows.
 * `random` is from 0 up to 1.
 */
export function comesBackAfterMs(random: number): number {
  const span = 1 / FIRST_PART - 1;
  return (SLOW_START_MS * Math.log(1 + span * random)) / Math.log(1 / FIRST_PART);
}
