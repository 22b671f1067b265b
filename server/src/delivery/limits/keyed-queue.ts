interface Line {
  last: Promise<unknown>;
  length: number;
  /** Moment at which the work under way began, by the monotonic clock. */
  begunAt: number;
  /** Duration of the work before that. */
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

  /** Returns how much work for a key is under way or waits. */
  lengthOf(name: string): number {
    return this.#lines.get(name)?.length ?? 0;
  }

  /** Returns how many milliseconds work for a key takes, judged by the work under way and the one before it. */
  paceOf(name: string): number {
    const line = this.#lines.get(name);
    return line === undefined ? 0 : Math.max(line.tookMs, this.#elapsed() - line.begunAt);
  }

  /** Runs `work` after all earlier work for the same key; rejects as `work` does. */
  async use<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(name) ?? newLine();
    this.#lines.set(name, line);
    const begin = (): Promise<T> => {
      line.begunAt = this.#elapsed();
      return work();
    };
    const mine = line.length === 0 ? begin() : line.last.then(begin, begin);
    line.last = mine;
    line.length += 1;
    try {
      return await mine;
    } finally {
      line.length -= 1;
      line.tookMs = this.#elapsed() - line.begunAt;
      if (line.length === 0) this.#lines.delete(name);
    }
  }
}

function newLine(): Line {
  return { last: Promise.resolve(), length: 0, begunAt: 0, tookMs: 0 };
}
