/** Formats a time in milliseconds since the epoch for an email, to the minute: `2026-01-31 at 12:00 UTC`. */
export function formatMailTime(at: number): string {
  const [day = "", time = ""] = new Date(at).toISOString().split("T");
  return `${day} at ${time.slice(0, "12:00".length)} UTC`;
}
