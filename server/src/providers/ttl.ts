/** FCM's limit of 28 days, which the other push services accept too. */
const TTL_MAX_SECONDS = 28 * 24 * 60 * 60;

/**
 * Returns the remaining time to live in whole seconds, at least 1. Some services treat 0 as "now or never", and Apple
 * rejects it.
 */
export function toTtlSeconds(remainingMs: number): number {
  return Math.min(Math.max(1, Math.floor(remainingMs / 1000)), TTL_MAX_SECONDS);
}
