import { setTimeout as wait } from "node:timers/promises";
import { InDoubtError } from "./in-doubt-error.ts";

/** Interval of attempts while the database is unavailable. */
const RETRY_DELAY_MS = 250;
/** Attempts before giving up. After that time, the caller writes again anyway. */
const ATTEMPTS_MAX = 20;

/**
 * Runs a write that its caller repeats after a failure. Rejects only once a commit in doubt can no longer be stored:
 * if it arrived after the next write, it would overwrite newer values, because the lease is still the same.
 */
export async function endingLate<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof InDoubtError) await settle(error);
    throw error;
  }
}

/** Never rejects. */
async function settle(doubt: InDoubtError): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    try {
      await doubt.makeCertain([]);
      return;
    } catch {
      await wait(RETRY_DELAY_MS);
    }
  }
}
