/** Share of a limit below which the characters left are shown. */
const SCARCE = 0.1;

/** Returns the number of characters left, below zero if there are too many; null while there are plenty. */
export function roomLeft(text: string, max: number): number | null {
  // Counts code points, as the server does.
  const left = max - Array.from(text).length;
  return left > max * SCARCE ? null : left;
}
