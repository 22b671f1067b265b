import { setTimeout as wait } from "node:timers/promises";
import { InDoubtError } from "./in-doubt-error.ts";

/** A database that is away is tried again this often, … */
const AGAIN_MS = 250;
/** … and so many times: after that, whoever writes tries again anyway. */
const TRIES_MAX = 20;

/**
 * Writes what is handed over again where it failed. A write in doubt is ended before that: arriving after the next one, it would set
 * back what that recorded, as the lease is still the same.
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
