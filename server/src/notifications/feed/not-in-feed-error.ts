import { AppError } from "#errors.ts";

/** Returns the error for a notification that is not in the caller's feed, or no longer is. */
export function createNotInFeedError(): AppError {
  return new AppError("not_found", "There is no such notification in your feed.");
}
