/** Gives a place back; a second call changes nothing. */
export type Release = () => void;

interface Waiter {
  readonly admit: (release: Release) => void;
}

/** Limits how much runs at once; waiters are admitted in order. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<Waiter>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Runs `work` once there is a place for it. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    const release = this.tryAcquire() ?? (await this.acquire());
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Takes a place; null where none is free. */
  tryAcquire(): Release | null {
    if (this.#free === 0) return null;
    this.#free -= 1;
    return this.#releaseOnce();
  }

  /** Resolves once there is a place; rejects with the signal's reason where it fires first. */
  async acquire(signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const release = this.tryAcquire();
    if (release !== null) return release;
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const waiter: Waiter = { admit: resolve };
    const giveUp = () => {
      this.#waiting.delete(waiter);
      reject(signal?.reason);
    };
    this.#waiting.add(waiter);
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  #releaseOnce(): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#free += 1;
        return;
      }
      // The place goes from hand to hand: nobody who comes meanwhile takes it.
      this.#waiting.delete(next);
      next.admit(this.#releaseOnce());
    };
  }
}
