/** Name of the browser cache for data that an account can read offline. */
export const OFFLINE_CACHE = "tocsin-kept";

/** Deletes the cache, so that the next account cannot see the data of this one. */
export function deleteOfflineCache(): void {
  // If the browser cannot delete the cache, it could not store it either.
  if ("caches" in globalThis) caches.delete(OFFLINE_CACHE).catch(() => {});
}
