/** Name of the browser cache for what an account can read without the server. */
export const KEPT_CACHE = "tocsin-kept";

/** Deletes the cache: the next account must not see what this one saw. */
export function forgetKept(): void {
  // If nothing can be deleted, nothing could be stored either.
  if ("caches" in globalThis) caches.delete(KEPT_CACHE).catch(() => {});
}
