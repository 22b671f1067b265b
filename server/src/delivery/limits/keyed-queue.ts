interface Line {
  last: Promise<unknown>;
  length: number;
  /** Start of the running work, on the monotonic clock. */
  startedAt: number;
  /** Duration of the work before it. */
  tookMs: number;
}

/** Runs work for the same key one after the other, in the order of the calls. */
export class KeyedQueue {
  readonly #lines = new Map<string, Line>();
  readonly #elapsed: () => number;

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Returns the number of running and waiting calls for a key. */
  lengthOf(key: string): number {
    return this.#lines.get(key)?.length ?? 0;
  }

  /** Returns how many milliseconds work for a key takes: the longer of the running work and the work before it. */
  paceOf(key: string): number {
    const line = this.#lines.get(key);
    return line === undefined ? 0 : Math.max(line.tookMs, this.#elapsed() - line.startedAt);
  }

  /** Runs `work` after all earlier work for the same key. Rejects if `work` rejects. */
  async use<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? newLine();
    this.#lines.set(key, line);
    const begin = (): Promise<T> => {
      line.startedAt = this.#elapsed();
      return work();
    };
    const result = line.length === 0 ? begin() : line.last.then(begin, begin);
    line.last = result;
    line.length += 1;
    try {
      return await result;
    } finally {
      line.length -= 1;
      line.tookMs = this.#elapsed() - line.startedAt;
      if (line.length === 0) this.#lines.delete(key);
    }
  }
}

function newLine(): Line {
  return { last: Promise.resolve(), length: 0, startedAt: 0, tookMs: 0 };
}
