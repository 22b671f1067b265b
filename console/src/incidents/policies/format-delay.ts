/** The units of a delay, largest first, with their lengths in seconds. Their symbols are the same in every language. */
const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** Returns a whole number of seconds, at least 1, as text such as `1 h 30 min`. */
export function formatDelay(seconds: number): string {
  let remaining = seconds;
  const parts: string[] = [];
  for (const [symbol, length] of UNITS) {
    const count = Math.floor(remaining / length);
    remaining -= count * length;
    // A no-break space keeps a number and its unit on one line.
    if (count > 0) parts.push(`${count}\u00a0${symbol}`);
  }
  return parts.join(" ");
}
