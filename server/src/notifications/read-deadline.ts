import type { Context } from "#context.ts";
import { createNotStoredError } from "#delivery/accept/accept-errors.ts";

/**
 * The time limit of the reads of the audience and of its devices, counted from the request's arrival. Including the
 * commit, callers get a response within four seconds.
 */
const READS_MAX_MS = 1_500;

/** The deadline of the audience and device reads of one request. */
export class ReadDeadline {
  /** The time at which the request arrived, by `performance.now()`. */
  readonly requestedAt: number;

  /** Creates the deadline of a request that arrived `elapsedMs` ago. */
  constructor(elapsedMs: number) {
    this.requestedAt = performance.now() - elapsedMs;
  }

  /** Returns the result of a read; throws `unavailable` if it does not finish before the deadline. */
  async enforce<T>(read: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const remainingMs = Math.max(0, this.requestedAt + READS_MAX_MS - performance.now());
    const rejectAtDeadline = () => {
      reject(createNotStoredError(new Error(`The database did not answer in ${READS_MAX_MS} ms.`)));
    };
    // After a pause of the process, the result may have arrived without being processed yet.
    const timer = setTimeout(() => setImmediate(rejectAtDeadline), remainingMs);
    try {
      return await Promise.race([read, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Returns the result of a read that precedes the commit; throws the error of `createNotStoredError` if the
 * database is unavailable.
 */
export async function readBeforeCommit<T>({ database }: Context, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw database.engine.isUnavailable(error) ? createNotStoredError(error) : error;
  }
}
