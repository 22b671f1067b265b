import { Semaphore } from "#concurrency/semaphore.ts";

/** Runs the steps of quarantined jobs one at a time in this process, so that a death has one suspect. */
export class Quarantine {
  readonly #limit = new Semaphore(1);
  #isClosed = false;

  /** Runs a step after those that were asked for before it, and returns its result; null once the quarantine is closed. */
  async run<T>(step: () => Promise<T>): Promise<T | null> {
    return this.#limit.use(async () => (this.#isClosed ? null : step()));
  }

  /** Begins no further step; the step under way goes on. */
  close(): void {
    this.#isClosed = true;
  }
}
