const SECOND_MS = 1_000;

/** Returns the seconds between two times, rounded. Each is an RFC 3339 string or a Unix time in milliseconds. */
export function countSecondsBetween(a: string | number, b: string | number): number {
  return Math.round(Math.abs(new Date(a).getTime() - new Date(b).getTime()) / SECOND_MS);
}
