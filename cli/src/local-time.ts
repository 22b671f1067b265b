/** Returns a timestamp in local time, such as `2026-11-22 16:40:01`. The Swedish locale resembles ISO 8601. */
export function localTime(timestamp: string): string {
  return new Date(timestamp).toLocaleString("sv-SE");
}

/** Returns a timestamp in local time; a dash for null. */
export function localTimeOrDash(timestamp: string | null): string {
  return timestamp === null ? "–" : localTime(timestamp);
}
