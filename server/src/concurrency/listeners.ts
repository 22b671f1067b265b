/** Calls every function that was added, in the order of adding; so a part may be built before the parts that listen to it. */
export class Listeners<Args extends readonly unknown[]> {
  readonly #all: ((...args: Args) => void)[] = [];

  /** Adds a function, which must not throw. */
  add(listener: (...args: Args) => void): void {
    this.#all.push(listener);
  }

  readonly call = (...args: Args): void => {
    for (const listener of this.#all) listener(...args);
  };
}
