import { Semaphore } from "#concurrency/semaphore.ts";

/** Runs the steps of quarantined jobs one at a time in this process, so that only one of them can cause a crash. */
export class Quarantine {
  readonly #limit = new Semaphore(1);
  #isClosed = false;

  /** Runs a step after all earlier ones and returns its result; null once the quarantine is closed. */
  async run<T>(step: () => Promise<T>): Promise<T | null> {
    return this.#limit.use(async () => (this.#isClosed ? null : step()));
  }

  /** Lets the running step finish and runs no other. */
  close(): void {
    this.#isClosed = true;
  }
}
