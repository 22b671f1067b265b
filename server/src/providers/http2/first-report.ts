import type { ConnectionEvents, ConnectionFailure } from "./connection-settings.ts";

/** Reports the first result of a connection, an answer or a failure, and nothing after it. */
export class FirstReport {
  readonly #events: Pick<ConnectionEvents, "onProven" | "onFailed">;
  #isProven = false;
  #isFailureTold = false;

  constructor(events: Pick<ConnectionEvents, "onProven" | "onFailed">) {
    this.#events = events;
  }

  /** True once it has answered. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** Records an answer. */
  answered(): void {
    if (this.#isProven) return;
    this.#isProven = true;
    this.#events.onProven();
  }

  /** Records a failure, unless an answer or a failure came before. */
  failed(failure: ConnectionFailure): void {
    if (this.#isProven || this.#isFailureTold) return;
    this.#isFailureTold = true;
    this.#events.onFailed(failure);
  }

  /** Records that we end the connection ourselves, which is no failure. */
  ended(): void {
    this.#isFailureTold = true;
  }
}
