/** Calls its listeners in the order they were added. A component can be built before the listeners to its events. */
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
