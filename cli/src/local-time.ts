/** Returns a timestamp in local time, such as `2026-11-22 16:40:01`. The Swedish locale resembles ISO 8601. */
export function formatLocalTime(timestamp: string): string {
  return new Date(timestamp).toLocaleString("sv-SE");
}

/** Returns a timestamp in local time; a dash for null. */
export function formatLocalTimeOrDash(timestamp: string | null): string {
  return timestamp === null ? "–" : formatLocalTime(timestamp);
}
