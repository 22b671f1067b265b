import { notStored } from "#delivery/accept/accept-errors.ts";

/** What is read before a notification is stored may take so long; with the commit, callers are told within four seconds. */
const READING_MAX_MS = 1_500;

/** The patience with what is read before anything is stored. */
export class ReadDeadline {
  /** When the request came in, of `performance.now()`. */
  readonly since: number;

  /** Begins with a request that came in `elapsedMs` ago. */
  constructor(elapsedMs: number) {
    this.since = performance.now() - elapsedMs;
  }

  /** Returns what some reading comes to; throws `unavailable` where it does not end in time. */
  async with<T>(reading: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const leftMs = Math.max(0, this.since + READING_MAX_MS - performance.now());
    const giveUp = () => {
      reject(notStored(new Error(`The database did not answer in ${READING_MAX_MS} ms.`)));
    };
    // After a standstill of the process, the answer may be there and only not taken in.
    const timer = setTimeout(() => setImmediate(giveUp), leftMs);
    try {
      return await Promise.race([reading, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
