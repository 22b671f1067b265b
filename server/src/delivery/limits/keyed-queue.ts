interface Line {
  last: Promise<unknown>;
  length: number;
  /** When the work that is under way began, as `elapsed` counts. */
  begunAt: number;
  /** How long the work before that took. */
  tookMs: number;
}

/** Lets work for the same name happen one after the other, in the order of asking. */
export class KeyedQueue {
  readonly #lines = new Map<string, Line>();
  readonly #elapsed: () => number;

  /** `elapsed` counts milliseconds from any moment on, and never jumps. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Returns how much work for a name is under way or waits. */
  lengthOf(name: string): number {
    return this.#lines.get(name)?.length ?? 0;
  }

  /** Returns how many milliseconds work for a name takes, as far as can be told from what is under way and what was before it. */
  paceOf(name: string): number {
    const line = this.#lines.get(name);
    return line === undefined ? 0 : Math.max(line.tookMs, this.#elapsed() - line.begunAt);
  }

  /** Runs `work` after everything that was asked for the same name before; it rejects as `work` does. */
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
