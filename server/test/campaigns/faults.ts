/** Requests to one push service over Web Push that a node has under way at most. */
export const WEB_PUSH_PLACES = 20;

/** Results that a node knows and has not committed yet at most: one batch under way, and one that gathers. */
const UNCOMMITTED_RESULTS = 2 * 64;

/** Messages that may be sent again because a node died, or stood still. */
export const DUPLICATES_OF_DEATH = WEB_PUSH_PLACES + UNCOMMITTED_RESULTS;

/** Returns a moment between two, in milliseconds. */
export function somewhereBetween(least: number, most: number): number {
  return least + Math.random() * (most - least);
}
