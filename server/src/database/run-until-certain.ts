import { setTimeout as wait } from "node:timers/promises";
import { InDoubtError } from "./in-doubt-error.ts";

/** The interval between two attempts while the database is unavailable. */
const RETRY_DELAY_MS = 250;
/** Maximum number of attempts to find out. After that many, the caller writes again anyway. */
const ATTEMPTS_MAX = 20;

/**
 * Runs a write that its caller repeats after a failure. If the outcome of its commit is unknown, rejects only once the
 * commit can no longer be stored, or after `ATTEMPTS_MAX` attempts to find out. Otherwise the commit could arrive after
 * the caller's next write and overwrite newer values, because the caller still holds the same lease.
 */
export async function runUntilCertain<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof InDoubtError) await settleDoubt(error);
    throw error;
  }
}

/** Ends the doubt about a commit, or gives up. Never rejects. */
async function settleDoubt(error: InDoubtError): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    try {
      await error.settleAndRead([]);
      return;
    } catch {
      await wait(RETRY_DELAY_MS);
    }
  }
}
