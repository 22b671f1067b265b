/** The functions to call for an event, in order. A component can be built before the listeners for its events exist. */
export class Listeners<Args extends readonly unknown[]> {
  readonly #listeners: ((...args: Args) => void)[] = [];

  /** Adds a function, which must not throw. */
  add(listener: (...args: Args) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls all listeners. */
  readonly call = (...args: Args): void => {
    for (const listener of this.#listeners) listener(...args);
  };
}
