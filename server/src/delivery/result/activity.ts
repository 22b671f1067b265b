import { timeOf } from "#ids.ts";
import type { DeliveryCode, DeliveryResult, FinalState } from "../delivery.ts";
import type { ProviderName } from "#providers/provider.ts";
import { DAY_MS } from "#schema/moment.ts";

/** Days for which counts are kept, without today: they contain nothing of single notifications. */
export const ACTIVITY_DAYS_MAX = 90;

/** Returns the day of a moment in UTC, in days since the epoch. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** Each pace is longer than the one before by a factor of the square root of two. */
const PACES_PER_DOUBLING = 2;

/**
 * Returns how long something took, coarsely: 1 is a millisecond, and two more are twice as long. Anything below is 1 too, and
 * so is what is no span of time: a count must never keep a result from being recorded.
 */
export function paceOf(ms: number): number {
  return ms > 1 ? 1 + Math.round(PACES_PER_DOUBLING * Math.log2(ms)) : 1;
}

/** Returns the milliseconds that a pace stands for. */
export function msOfPace(pace: number): number {
  return Math.round(2 ** ((pace - 1) / PACES_PER_DOUBLING));
}

/** The key under which results are counted together. */
export type Alike = readonly [
  provider: ProviderName,
  state: FinalState,
  code: DeliveryCode,
  pace: number,
];

/** Counts a notification's results by key; accepted ones have a pace, all others 0. */
export function countAlike(
  notificationId: string,
  results: readonly DeliveryResult[],
): ReadonlyMap<Alike, number> {
  const acceptedAt = timeOf(notificationId);
  const counts = new Map<string, { readonly alike: Alike; count: number }>();
  for (const { provider, state, code, at } of results) {
    const pace = state === "accepted" ? paceOf(at - acceptedAt) : 0;
    const key = `${provider} ${state} ${code} ${pace}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { alike: [provider, state, code, pace], count: 1 });
    else known.count += 1;
  }
  return new Map([...counts.values()].map(({ alike, count }) => [alike, count]));
}
