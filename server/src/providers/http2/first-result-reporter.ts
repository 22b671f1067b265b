import type { ConnectionEvents, ConnectionFailure } from "./connection-options.ts";

/** Reports the first response of a connection, and its failure unless a response came before. */
export class FirstResultReporter {
  readonly #events: Pick<ConnectionEvents, "onProven" | "onFailed">;
  #isProven = false;
  #isFailureReported = false;

  constructor(events: Pick<ConnectionEvents, "onProven" | "onFailed">) {
    this.#events = events;
  }

  /** True after the first response. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** Records a response. */
  recordResponse(): void {
    if (this.#isProven) return;
    this.#isProven = true;
    this.#events.onProven();
  }

  /** Records a failure, unless a response or a failure came before. */
  recordFailure(failure: ConnectionFailure): void {
    if (this.#isProven || this.#isFailureReported) return;
    this.#isFailureReported = true;
    this.#events.onFailed(failure);
  }

  /** Records that we end the connection, which is not a failure. */
  recordEnd(): void {
    this.#isFailureReported = true;
  }
}
