import { Semaphore, type Release } from "#concurrency/semaphore.ts";

/** The limits of a `TransactionLimit`. */
export interface TransactionLimitOptions {
  /** Maximum number of concurrent transactions. */
  readonly limit: number;
  /** Longest wait for a permit, in milliseconds. */
  readonly waitMaxMs: number;
  /** Returns whether an error of one transaction also applies to the waiting ones, which then fail immediately. */
  readonly affectsAll: (error: unknown) => boolean;
}

/** Limits how many transactions run concurrently. The others wait in order, for a limited time. */
export class TransactionLimit {
  readonly #options: TransactionLimitOptions;
  readonly #semaphore: Semaphore;
  /** Aborted when an error applies to all waiting transactions. */
  #waitAbort = new AbortController();

  constructor(options: TransactionLimitOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.limit);
  }

  /** Calls `run` once a permit is free; rejects with a `TransactionLimitError` if none becomes free in time. */
  async use<T>(run: () => Promise<T>): Promise<T> {
    const release = this.#semaphore.tryAcquire() ?? (await this.#wait());
    try {
      return await run();
    } catch (error) {
      if (this.#options.affectsAll(error)) this.#failWaiting(error);
      throw error;
    } finally {
      release();
    }
  }

  async #wait(): Promise<Release> {
    const timeout = new AbortController();
    const timer = setTimeout(
      () => timeout.abort(new TransactionLimitError()),
      this.#options.waitMaxMs,
    );
    try {
      return await this.#semaphore.acquire(
        AbortSignal.any([timeout.signal, this.#waitAbort.signal]),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** Rejects all waiting transactions. */
  #failWaiting(error: unknown): void {
    this.#waitAbort.abort(error);
    this.#waitAbort = new AbortController();
  }
}

/** Thrown if no permit became free in time. The transaction did not begin. */
export class TransactionLimitError extends Error {
  constructor() {
    super("Too many transactions wait for each other.");
    this.name = "TransactionLimitError";
  }
}
