/** Below this share of a limit, room is scarce. */
const SCARCE = 0.1;

/** Returns how many characters a text may still get, below zero how many are too many; null while there is plenty. */
export function roomLeft(text: string, max: number): number | null {
  // Code points, as the server counts.
  const left = max - Array.from(text).length;
  return left > max * SCARCE ? null : left;
}
