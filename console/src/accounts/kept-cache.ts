/** The browser's cache that holds what an account can read without the server. */
export const KEPT_CACHE = "tocsin-kept";

/** Empties it: what one person saw is not for the next. */
export function forgetKept(): void {
  // Where nothing can be deleted, nothing could be kept either.
  if ("caches" in globalThis) caches.delete(KEPT_CACHE).catch(() => {});
}
