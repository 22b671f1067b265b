/** How long a wait lasts before it fails, in milliseconds. */
export interface WaitOptions {
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 20_000;

/** Holds what came in, in order, and lets a test wait for more without sleeping. */
export class Arrivals<T> {
  readonly #name: string;
  readonly #all: T[] = [];
  readonly #unclaimed: T[] = [];
  readonly #waiting = new Set<() => void>();

  /** The name stands in the error of a wait that ends in vain: "mails", "acknowledgements". */
  constructor(name: string) {
    this.#name = name;
  }

  get all(): readonly T[] {
    return this.#all;
  }

  /** Records one arrival and wakes those who wait for it, the oldest wait first. */
  add(item: T): void {
    this.#all.push(item);
    this.#unclaimed.push(item);
    for (const look of this.#waiting) look();
  }

  /** Resolves with the oldest arrival that `next` has not handed out yet; rejects when time is up. */
  async next(options: WaitOptions = {}): Promise<T> {
    return this.#until(() => this.#unclaimed.splice(0, 1), options);
  }

  /** Resolves with all arrivals once there are at least `count`; rejects when time is up. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly T[]> {
    return this.#until(() => (this.#all.length < count ? [] : [[...this.#all]]), options);
  }

  /** Waits until `look` finds something: it returns that in a list, or an empty list. */
  async #until<R>(look: () => readonly R[], { timeoutMs }: WaitOptions): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const limitMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const attempt = (): void => {
      for (const found of look()) {
        stop();
        resolve(found);
      }
    };
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`Waited ${limitMs} ms for ${this.#name}; ${this.#all.length} came in all.`));
    }, limitMs);
    const stop = (): void => {
      clearTimeout(timer);
      this.#waiting.delete(attempt);
    };
    this.#waiting.add(attempt);
    attempt();
    return promise;
  }
}
