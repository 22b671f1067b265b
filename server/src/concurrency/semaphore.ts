/** A function that releases a permit. Idempotent. */
export type Release = () => void;

/** A caller that waits for a permit. */
interface Waiter {
  readonly admit: (release: Release) => void;
}

/** Limits how many tasks run concurrently. Waiters are admitted in order. */
export class Semaphore {
  #free: number;
  readonly #waiters = new Set<Waiter>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Runs `work` once a permit is free. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    const release = this.tryAcquire() ?? (await this.acquire());
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Acquires a permit; returns null if none is free. */
  tryAcquire(): Release | null {
    if (this.#free === 0) return null;
    this.#free -= 1;
    return this.#createRelease();
  }

  /** Acquires a permit as soon as one is free; rejects with the signal's reason if the signal aborts first. */
  acquire(signal?: AbortSignal): Promise<Release> {
    if (signal !== undefined) return this.#acquireUnlessAborted(signal);
    const release = this.tryAcquire();
    if (release !== null) return Promise.resolve(release);
    return new Promise((admit) => this.#waiters.add({ admit }));
  }

  async #acquireUnlessAborted(signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    const release = this.tryAcquire();
    if (release !== null) return release;
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const waiter: Waiter = { admit: resolve };
    const onAbort = () => {
      this.#waiters.delete(waiter);
      reject(signal.reason);
    };
    this.#waiters.add(waiter);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #createRelease(): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = this.#waiters;
      if (next === undefined) {
        this.#free += 1;
        return;
      }
      // The permit passes directly to the next waiter, so that no newcomer takes it first.
      this.#waiters.delete(next);
      next.admit(this.#createRelease());
    };
  }
}
