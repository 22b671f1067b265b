import { parseIdTime } from "#ids.ts";
import type { DeliveryCode, DeliveryResult, FinalState } from "../delivery.ts";
import type { ProviderName } from "#providers/provider.ts";
import { DAY_MS } from "#schema/timestamp.ts";

/** Days for which counts are kept, not including today. Counts contain no data of single notifications. */
export const ACTIVITY_DAYS_MAX = 90;

/** Returns the UTC day of a time, in days since the epoch. */
export function toDay(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** Each pace is longer than the previous one by a factor of the square root of two. */
const PACES_PER_DOUBLING = 2;

/**
 * Returns a duration as a pace: pace 1 is a millisecond, and a duration twice as long has a pace that is 2 higher.
 * Shorter durations and NaN have pace 1 too, because a count must never prevent the recording of a result.
 */
export function toPace(ms: number): number {
  return ms > 1 ? 1 + Math.round(PACES_PER_DOUBLING * Math.log2(ms)) : 1;
}

/** Returns the milliseconds of a pace. */
export function paceToMs(pace: number): number {
  return Math.round(2 ** ((pace - 1) / PACES_PER_DOUBLING));
}

/** The key under which results are counted together. */
export type ResultKey = readonly [
  provider: ProviderName,
  state: FinalState,
  code: DeliveryCode,
  pace: number,
];

/** Counts a notification's results by key. The pace of results that are not accepted is 0. */
export function countResultsByKey(
  notificationId: string,
  results: readonly DeliveryResult[],
): ReadonlyMap<ResultKey, number> {
  const acceptedAt = parseIdTime(notificationId);
  const counts = new Map<string, { readonly key: ResultKey; count: number }>();
  for (const { provider, state, code, at } of results) {
    const pace = state === "accepted" ? toPace(at - acceptedAt) : 0;
    const label = `${provider} ${state} ${code} ${pace}`;
    const entry = counts.get(label);
    if (entry === undefined) counts.set(label, { key: [provider, state, code, pace], count: 1 });
    else entry.count += 1;
  }
  return new Map([...counts.values()].map(({ key, count }) => [key, count]));
}
