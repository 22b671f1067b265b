/** Name of the browser cache for data that an account can read offline. */
export const OFFLINE_CACHE_NAME = "tocsin-kept";

/** Deletes the cache, so that the next account cannot see this account's data. */
export function deleteOfflineCache(): void {
  // A browser that cannot delete the cache could not write to it either.
  if ("caches" in globalThis) caches.delete(OFFLINE_CACHE_NAME).catch(() => {});
}
