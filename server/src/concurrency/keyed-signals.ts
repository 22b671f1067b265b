/** Wakes those who wait for a change of a subject. Nothing is kept for a subject that nobody waits for. */
export class KeyedSignals {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Number of subjects that somebody waits for. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Wakes everybody who waits for this subject. */
  signal(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake();
  }

  /** Wakes everybody. */
  signalAll(): void {
    for (const key of this.#waiting.keys()) this.signal(key);
  }

  /** Returns a wait that notices every signal from now on, and the abort of `ending`; the caller ends it. */
  begin(key: string, ending: AbortSignal): SignalWait {
    let signalled = Promise.withResolvers<void>();
    const wake = () => signalled.resolve();
    const wakes = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, wakes.add(wake));
    ending.addEventListener("abort", wake);
    return {
      async next(timeoutMs) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, timeoutMs);
        await Promise.race([signalled.promise, promise]);
        clearTimeout(timer);
        signalled = Promise.withResolvers();
      },
      end: () => {
        ending.removeEventListener("abort", wake);
        wakes.delete(wake);
        if (wakes.size === 0) this.#waiting.delete(key);
      },
    };
  }
}

/** A wait for the signals of one subject. */
export interface SignalWait {
  /** Resolves after a signal or an abort since the start or the last call, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>;
  end(): void;
}
