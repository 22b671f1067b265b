import { setTimeout as wait } from "node:timers/promises";
import { InDoubtError } from "./in-doubt-error.ts";

/** Interval of tries while the database is away. */
const AGAIN_MS = 250;
/** Tries until it gives up: after that, the caller writes again anyway. */
const TRIES_MAX = 20;

/**
 * Runs a write that its caller repeats after a failure. A commit in doubt is ended before this rejects: arriving after
 * the next write, it would set back what that recorded, as the lease is still the same.
 */
export async function endingLate<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof InDoubtError) await end(error);
    throw error;
  }
}

/** Never rejects. */
async function end(doubt: InDoubtError): Promise<void> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    try {
      await doubt.makeCertain([]);
      return;
    } catch {
      await wait(AGAIN_MS);
    }
  }
}
