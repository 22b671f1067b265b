/** The longest wait that a push service may ask for. */
const WAIT_MAX_MS = 60 * 60 * 1000;
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u;

/**
 * Returns the wait in a `Retry-After` header in milliseconds, at most an hour; null if the header is missing or
 * malformed. The header contains seconds, or a date in the preferred format (RFC 9110 section 10.2.3).
 */
export function parseRetryAfterMs(
  header: string | string[] | undefined,
  now: number,
): number | null {
  const value = (typeof header === "string" ? header : (header?.[0] ?? "")).trim();
  if (/^\d+$/u.test(value)) return Math.min(Number(value) * 1000, WAIT_MAX_MS);
  if (!HTTP_DATE.test(value)) return null;
  const retryAt = Date.parse(value);
  if (Number.isNaN(retryAt)) return null;
  return Math.min(Math.max(0, retryAt - now), WAIT_MAX_MS);
}
