interface KeyState {
  last: Promise<unknown>;
  length: number;
  /** Start of the running work, on the monotonic clock. */
  startedAt: number;
  /** How long the work before this work took. */
  previousDurationMs: number;
}

/** Runs work for the same key one after the other, in the order of the calls. */
export class KeyedQueue {
  readonly #states = new Map<string, KeyState>();
  readonly #elapsed: () => number;

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Returns the number of running and waiting calls for a key. */
  getLength(key: string): number {
    return this.#states.get(key)?.length ?? 0;
  }

  /** Returns how many milliseconds work for a key takes: the longer of the running work and the work before it. */
  getDurationMs(key: string): number {
    const state = this.#states.get(key);
    return state === undefined
      ? 0
      : Math.max(state.previousDurationMs, this.#elapsed() - state.startedAt);
  }

  /** Runs `work` after all earlier work for the same key. Rejects if `work` rejects. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const state = this.#states.get(key) ?? createKeyState();
    this.#states.set(key, state);
    const begin = (): Promise<T> => {
      state.startedAt = this.#elapsed();
      return work();
    };
    const result = state.length === 0 ? begin() : state.last.then(begin, begin);
    state.last = result;
    state.length += 1;
    try {
      return await result;
    } finally {
      state.length -= 1;
      state.previousDurationMs = this.#elapsed() - state.startedAt;
      if (state.length === 0) this.#states.delete(key);
    }
  }
}

function createKeyState(): KeyState {
  return { last: Promise.resolve(), length: 0, startedAt: 0, previousDurationMs: 0 };
}
