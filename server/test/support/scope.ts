/** The owner of started resources, which end with it: a test or a campaign. */
export interface Scope {
  after(run: () => unknown): void;
}

/** A scope that ends when `end` is called. */
export class ManualScope implements Scope {
  readonly #cleanups: (() => unknown)[] = [];

  after(run: () => unknown): void {
    this.#cleanups.push(run);
  }

  /** Ends the resources in reverse order. Throws the first error after all have ended. */
  async end(): Promise<void> {
    const errors: unknown[] = [];
    for (const run of this.#cleanups.splice(0).toReversed()) {
      try {
        await run();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
