/** Wakes waiters by key. Keeps nothing for a key without waiters. */
export class KeyedSignals {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** The number of keys with waiters. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Wakes all waiters of a key. */
  signal(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake();
  }

  /** Wakes the waiters of all keys. */
  signalAll(): void {
    for (const key of this.#waiting.keys()) this.signal(key);
  }

  /** Begins a wait for the signals of a key, which the caller ends. The abort of `signal` also wakes the wait. */
  begin(key: string, signal: AbortSignal): SignalWait {
    let signalled = Promise.withResolvers<void>();
    const wake = () => signalled.resolve();
    const wakes = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, wakes.add(wake));
    signal.addEventListener("abort", wake);
    return {
      async next(timeoutMs) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, timeoutMs);
        await Promise.race([signalled.promise, promise]);
        clearTimeout(timer);
        signalled = Promise.withResolvers();
      },
      end: () => {
        signal.removeEventListener("abort", wake);
        wakes.delete(wake);
        if (wakes.size === 0) this.#waiting.delete(key);
      },
    };
  }
}

/** A wait for the signals of one key. */
export interface SignalWait {
  /** Resolves at the first signal or abort since `begin` or the previous call, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>;
  end(): void;
}
