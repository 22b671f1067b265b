import type { Context } from "#context.ts";
import { notStored } from "#delivery/accept/accept-errors.ts";

/**
 * The time limit of all reads before a notification is stored. Including the commit, callers get a response within
 * four seconds.
 */
const READING_MAX_MS = 1_500;

/** The deadline of the reads of one request. */
export class ReadDeadline {
  /** When the request arrived, by `performance.now()`. */
  readonly since: number;

  /** Creates the deadline of a request that arrived `elapsedMs` ago. */
  constructor(elapsedMs: number) {
    this.since = performance.now() - elapsedMs;
  }

  /** Returns the result of a read; throws `unavailable` if it does not finish in time. */
  async with<T>(reading: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const leftMs = Math.max(0, this.since + READING_MAX_MS - performance.now());
    const giveUp = () => {
      reject(notStored(new Error(`The database did not answer in ${READING_MAX_MS} ms.`)));
    };
    // After a pause of the process, the result may have arrived without being processed yet.
    const timer = setTimeout(() => setImmediate(giveUp), leftMs);
    try {
      return await Promise.race([reading, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Returns the result of a read that precedes the commit; rejects with `notStored` while the database is unavailable. */
export async function readBefore<T>({ database }: Context, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw database.engine.isUnavailable(error) ? notStored(error) : error;
  }
}
