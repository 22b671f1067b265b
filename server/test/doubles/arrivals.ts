/** How long a wait lasts before it fails, in milliseconds. */
export interface WaitOptions {
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
    for (const checkWaiter of this.#waiters) checkWaiter();
  }

  /** Resolves with the oldest arrival that `next` has not returned yet. Rejects after the timeout. */
  async next(options: WaitOptions = {}): Promise<T> {
    return this.#until(() => this.#unclaimed.splice(0, 1), options);
  }

  /** Resolves with all arrivals once there are at least `count`. Rejects after the timeout. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly T[]> {
    return this.#until(() => (this.#all.length < count ? [] : [[...this.#all]]), options);
  }

  /** Waits until `check` returns a list with a result; an empty list means none yet. */
  async #until<R>(check: () => readonly R[], { timeoutMs }: WaitOptions): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const limitMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const attempt = (): void => {
      for (const result of check()) {
        stop();
        resolve(result);
      }
    };
    const timer = setTimeout(() => {
      stop();
      reject(
        new Error(`Waited ${limitMs} ms for ${this.#name}; ${this.#all.length} arrived in total.`),
      );
    }, limitMs);
    const stop = (): void => {
      clearTimeout(timer);
      this.#waiters.delete(attempt);
    };
    this.#waiters.add(attempt);
    attempt();
    return promise;
  }
}
