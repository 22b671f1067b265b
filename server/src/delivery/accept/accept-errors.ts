import { AppError } from "#errors.ts";

/** `Retry-After` of an answer that the database could not be read or written. */
const RETRY_AFTER_MS = 5_000;

/** Returns the error of a notification that is not stored or sent and never will be, so that callers may send it again. */
export function notStored(cause: unknown): AppError {
  const message = "The notification could not be stored; nothing was sent. Try again shortly.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause });
}

/** Returns the error of a notification that may be stored: the answer to its commit was lost. */
export function maybeStored(cause: unknown): AppError {
  const message =
    "The notification may have been stored: the database did not answer in time. Repeat with the same Idempotency-Key.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause });
}
