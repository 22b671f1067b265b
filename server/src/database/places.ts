export interface PlacesOptions {
  /** Runs allowed at once. */
  readonly count: number;
  /** Longest wait in line, in milliseconds. */
  readonly waitMaxMs: number;
  /** Returns whether an error of one run also applies to those in line, which then fail at once. */
  readonly isForAll: (error: unknown) => boolean;
}

/** A run that waits in line. */
interface Waiting {
  readonly enter: () => void;
  readonly fail: (error: unknown) => void;
}

/** Lets a limited number run at once; the others wait in line, in order, for a limited time. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #line = new Set<Waiting>();
  #free: number;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#free = options.count;
  }

  /** Runs once there is a place; rejects with a `NoPlaceError` if none comes free in time. */
  async take<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn();
    try {
      return await run();
    } catch (error) {
      if (this.#options.isForAll(error)) this.#failAll(error);
      throw error;
    } finally {
      this.#handOn();
    }
  }

  /** Resolves once another run hands its place on. */
  async #turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { enter: resolve, fail: reject };
    const timer = setTimeout(() => {
      this.#line.delete(waiting);
      reject(new NoPlaceError());
    }, this.#options.waitMaxMs);
    this.#line.add(waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #failAll(error: unknown): void {
    for (const waiting of this.#line) waiting.fail(error);
    this.#line.clear();
  }

  #handOn(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#line.delete(next);
    next.enter();
  }
}

/** Thrown if no place came free in time: nothing was done. */
export class NoPlaceError extends Error {
  constructor() {
    super("Too many transactions wait for each other.");
    this.name = "NoPlaceError";
  }
}
