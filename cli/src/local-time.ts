/** Returns the local time of a timestamp, such as `2026-11-22 16:40:01`: the Swedish locale formats it like ISO 8601. */
export function localTime(timestamp: string): string {
  return new Date(timestamp).toLocaleString("sv-SE");
}

/** Returns the local time of a timestamp, and a dash for none. */
export function localTimeOrDash(timestamp: string | null): string {
  return timestamp === null ? "–" : localTime(timestamp);
}
