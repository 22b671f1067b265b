import { Semaphore, type Release } from "#concurrency/semaphore.ts";

export interface TransactionLimitOptions {
  /** Transactions allowed at once. */
  readonly limit: number;
  /** Longest wait for a place, in milliseconds. */
  readonly waitMaxMs: number;
  /** Returns whether an error of one transaction also applies to those that wait, which then fail at once. */
  readonly isForAll: (error: unknown) => boolean;
}

/** Limits how many transactions run at once; the others wait in order, for a limited time. */
export class TransactionLimit {
  readonly #options: TransactionLimitOptions;
  readonly #semaphore: Semaphore;
  /** Aborted where the wait of all is over. */
  #lost = new AbortController();

  constructor(options: TransactionLimitOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.limit);
  }

  /** Runs once there is a place; rejects with a `TransactionLimitError` if none comes free in time. */
  async use<T>(run: () => Promise<T>): Promise<T> {
    const release = this.#semaphore.tryAcquire() ?? (await this.#wait());
    try {
      return await run();
    } catch (error) {
      if (this.#options.isForAll(error)) this.#failWaiting(error);
      throw error;
    } finally {
      release();
    }
  }

  async #wait(): Promise<Release> {
    const tooLate = new AbortController();
    const timer = setTimeout(
      () => tooLate.abort(new TransactionLimitError()),
      this.#options.waitMaxMs,
    );
    try {
      return await this.#semaphore.acquire(AbortSignal.any([tooLate.signal, this.#lost.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  #failWaiting(error: unknown): void {
    this.#lost.abort(error);
    this.#lost = new AbortController();
  }
}

/** Thrown if no place came free in time: nothing was done. */
export class TransactionLimitError extends Error {
  constructor() {
    super("Too many transactions wait for each other.");
    this.name = "TransactionLimitError";
  }
}
