import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";

/** What a caller is told to wait when the database cannot be read or written. */
const RETRY_AFTER_MS = 5_000;

/** Returns the error of a notification of which nothing is stored or sent, nor will be; callers may send it again. */
export function notStored(cause: unknown): AppError {
  const message = "The notification could not be stored; nothing was sent. Try again shortly.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause });
}

/** Returns the error of a notification of which nobody can say in time whether it is stored. */
export function maybeStored(cause: unknown): AppError {
  const message =
    "The notification may have been stored: the database did not answer in time. Repeat with the same Idempotency-Key.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause });
}

/** Returns what is read before anything is stored; where the database cannot be asked, it says that nothing is. */
export async function readBefore<T>({ database }: Context, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw database.engine.isUnavailable(error) ? notStored(error) : error;
  }
}
