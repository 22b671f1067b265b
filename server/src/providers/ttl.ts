/** No push service keeps a message longer than FCM's 28 days. */
const MAX_TTL_S = 28 * 24 * 60 * 60;

/** Returns the remaining life in whole seconds, at least 1: some services take 0 as "now or never", and Apple refuses it. */
export function ttlSeconds(remainingMs: number): number {
  return Math.min(Math.max(1, Math.floor(remainingMs / 1000)), MAX_TTL_S);
}
