import { TocsinConnectionError, TocsinError } from "./errors.ts";
import type { Call } from "./request.ts";
import type { Server } from "./server.ts";
import { getRandomBackoffMs, wait } from "./wait.ts";

/** A longer `Retry-After` is left to the caller, who knows better what to do in the meantime. */
const RETRY_AFTER_MAX_MS = 60_000;
const RETRY_BACKOFF = { baseMs: 250, maxMs: 8_000 };

/**
 * Returns the result of a request. After a temporary error, repeats the request up to `retries` times, if its call may
 * be repeated. Throws the last error.
 */
export async function retry<Result>(
  { retries }: Pick<Server, "retries">,
  call: Call,
  request: () => Promise<Result>,
): Promise<Result> {
  for (let failureCount = 0; ; failureCount += 1) {
    try {
      return await request();
    } catch (error) {
      if (failureCount >= retries || !isRetryable(call)) throw error;
      const waitMs = getRetryDelayMs(error, failureCount);
      if (waitMs === null) throw error;
      await wait(waitMs, call.signal);
    }
  }
}

/** A GET that sends a notification has an idempotency key whenever retries are on. */
function isRetryable({ method, headers }: Call): boolean {
  return method === "GET" || headers?.["idempotency-key"] !== undefined;
}

function getRetryDelayMs(error: unknown, failureCount: number): number | null {
  if (error instanceof TocsinConnectionError) {
    return error.schemeFault === "not_https"
      ? null
      : getRandomBackoffMs(failureCount, RETRY_BACKOFF);
  }
  if (!(error instanceof TocsinError)) return null;
  if (error.status !== 429 && error.status < 500) return null;
  const waitMs = error.retryAfterMs ?? getRandomBackoffMs(failureCount, RETRY_BACKOFF);
  return waitMs <= RETRY_AFTER_MAX_MS ? waitMs : null;
}
