/** Largest share of a limit at which the remaining characters are shown. */
const SHOWN_SHARE = 0.1;

/** Returns the number of remaining characters, negative over the limit; null while there are many. */
export function countRemainingCharacters(text: string, limit: number): number | null {
  // Counts code points, as the server does.
  const remaining = limit - Array.from(text).length;
  return remaining > limit * SHOWN_SHARE ? null : remaining;
}
