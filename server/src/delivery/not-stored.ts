import { AppError } from "#errors.ts";

/** What a caller is told to wait when the database cannot be read or written. */
const RETRY_AFTER_MS = 5_000;

/** Returns the error of a notification of which nothing is stored or sent; callers may send it again. */
export function notStored(cause: unknown): AppError {
  const message = "The notification could not be stored; nothing was sent. Try again shortly.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause });
}
