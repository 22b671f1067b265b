interface Line {
  last: Promise<unknown>;
  length: number;
}

/** Lets work for the same name happen one after the other, in the order of asking. */
export class Turns {
  readonly #lines = new Map<string, Line>();

  /** Returns how much work for a name is under way or waits. */
  lengthOf(name: string): number {
    return this.#lines.get(name)?.length ?? 0;
  }

  /** Runs `work` after everything that was asked for the same name before; it rejects as `work` does. */
  async use<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(name) ?? { last: Promise.resolve(), length: 0 };
    this.#lines.set(name, line);
    const mine = line.length === 0 ? work() : line.last.then(work, work);
    line.last = mine;
    line.length += 1;
    try {
      return await mine;
    } finally {
      line.length -= 1;
      if (line.length === 0) this.#lines.delete(name);
    }
  }
}
