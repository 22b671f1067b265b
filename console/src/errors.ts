import { TocsinConnectionError, TocsinError } from "../../sdk/src/errors.ts";

/** Returns what to tell a person about an error: the server's own words where it spoke. */
export function messageOf(error: unknown): string {
  if (error instanceof TocsinConnectionError) {
    return navigator.onLine
      ? "The server does not answer. Try again in a moment."
      : "You are offline. Try again when you are connected.";
  }
  return error instanceof Error ? error.message : "Something went wrong on this page.";
}

/** Returns whether the server knows no session (any more). */
export function isSignedOut(error: unknown): boolean {
  return error instanceof TocsinError && error.status === 401;
}

/** Returns whether the server knows no such thing (any more). */
export function isMissing(error: unknown): boolean {
  return error instanceof TocsinError && error.status === 404;
}

/** Returns the field of the request that the server found at fault, null where it named none. */
export function fieldOf(error: unknown): string | null {
  return error instanceof TocsinError ? error.field : null;
}
