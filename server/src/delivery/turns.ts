/** Lets work for the same name happen one after the other, in the order of asking. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after everything that was asked for the same name before; it rejects as `work` does. */
  async use<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const mine = before === undefined ? work() : before.then(work, work);
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }
}
