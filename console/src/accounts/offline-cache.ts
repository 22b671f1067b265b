/** Name of the browser cache for data that an account can read offline. */
export const OFFLINE_CACHE_NAME = "tocsin-kept";

/** Deletes the cache, so that the next account cannot see this account's data. */
export function deleteOfflineCache(): void {
  // If the browser cannot delete the cache, it could not store it either.
  if ("caches" in globalThis) caches.delete(OFFLINE_CACHE_NAME).catch(() => {});
}
