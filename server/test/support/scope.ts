/** The owner of started things, which end with it: a test, or a campaign. */
export interface Scope {
  after(run: () => unknown): void;
}

/** A scope that ends when it is told to. */
export class OwnScope implements Scope {
  readonly #ends: (() => unknown)[] = [];

  after(run: () => unknown): void {
    this.#ends.push(run);
  }

  /** Ends what was started last first; throws the first error once all is ended. */
  async end(): Promise<void> {
    const errors: unknown[] = [];
    for (const run of this.#ends.splice(0).toReversed()) {
      try {
        await run();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
