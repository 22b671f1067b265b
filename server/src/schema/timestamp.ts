/** The length of a day in UTC, in milliseconds. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** Returns a time in milliseconds since the epoch as an RFC 3339 string in UTC. */
export function formatTimestamp(at: number): string {
  return new Date(at).toISOString();
}

const TIMESTAMP_PATTERN = /^(\d{4}-\d{2}-\d{2})(?:T.*(?:Z|[+-]\d{2}:\d{2}))?$/;

/** The OpenAPI keywords of a string that `parseTimestamp` accepts: a time from 1970 on. */
export const TIMESTAMP_KEYWORDS = {
  pattern: "^(?:19[7-9]|[2-9][0-9]{2})[0-9]-",
  anyOf: [{ format: "date-time" }, { format: "date" }],
};

/**
 * Parses a time such as `2026-01-31T12:00:00Z`, or the start of a UTC day such as `2026-01-31`. Returns milliseconds
 * since the epoch; null for any other string, including a time without a time zone and a day that does not exist.
 */
export function parseTimestamp(text: string): number | null {
  const day = TIMESTAMP_PATTERN.exec(text)?.[1];
  if (day === undefined) return null;
  const midnight = Date.parse(day);
  const time = Date.parse(text);
  // `Date.parse` reads 31 February as 3 March.
  const isDay = Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(day);
  return isDay && time >= 0 ? time : null;
}
