/** The options of a wait. */
export interface WaitOptions {
  /** The time after which the wait fails. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 20_000;

/** Collects arrivals in order, and lets a test wait for more without polling. */
export class Arrivals<T> {
  readonly #name: string;
  readonly #all: T[] = [];
  readonly #unclaimed: T[] = [];
  readonly #waiters = new Set<() => void>();

  /** `name` is used in timeout errors: "mails", "acknowledgements". */
  constructor(name: string) {
    this.#name = name;
  }

  get all(): readonly T[] {
    return this.#all;
  }

  /** Records an arrival and wakes the waiters, the oldest first. */
  add(item: T): void {
    this.#all.push(item);
    this.#unclaimed.push(item);
    for (const tryResolve of this.#waiters) tryResolve();
  }

  /** Resolves with the oldest arrival that `next` has not returned yet. Rejects after the timeout. */
  async next(options: WaitOptions = {}): Promise<T> {
    return this.#waitUntil(() => this.#unclaimed.splice(0, 1), options);
  }

  /** Resolves with all arrivals once there are at least `count`. Rejects after the timeout. */
  async waitForCount(count: number, options: WaitOptions = {}): Promise<readonly T[]> {
    return this.#waitUntil(() => (this.#all.length < count ? [] : [[...this.#all]]), options);
  }

  /** Waits until `check` returns a list with a result; an empty list means that there is no result yet. */
  async #waitUntil<R>(
    check: () => readonly R[],
    { timeoutMs = DEFAULT_TIMEOUT_MS }: WaitOptions,
  ): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const tryResolve = (): void => {
      for (const result of check()) {
        stop();
        resolve(result);
      }
    };
    const timer = setTimeout(() => {
      stop();
      reject(
        new Error(
          `Waited ${timeoutMs} ms for ${this.#name}; ${this.#all.length} arrived in total.`,
        ),
      );
    }, timeoutMs);
    const stop = (): void => {
      clearTimeout(timer);
      this.#waiters.delete(tryResolve);
    };
    this.#waiters.add(tryResolve);
    tryResolve();
    return promise;
  }
}
