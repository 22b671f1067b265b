import { AppError } from "#errors.ts";

/** `Retry-After` of the response if the database is unavailable. */
const RETRY_AFTER_MS = 5_000;

/**
 * Returns the error for a notification that is neither stored nor sent, and never will be. The caller may safely send
 * the notification again.
 */
export function createNotStoredError(cause: unknown): AppError {
  const message = "The notification could not be stored; nothing was sent. Try again shortly.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause });
}

/** Returns the error for a notification that may be stored, because the response to its commit was lost. */
export function createMaybeStoredError(cause: unknown): AppError {
  const message =
    "The notification may have been stored: the database did not answer in time. Repeat with the same Idempotency-Key.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause });
}
