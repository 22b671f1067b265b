import type { ConnectionEvents, ConnectionFailure } from "./connection-settings.ts";

/** Whether a connection has answered, or has come to nothing; either is told once. */
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

  /** Records that it came to nothing, unless it has answered before. */
  failed(failure: ConnectionFailure): void {
    if (this.#isProven || this.#isFailureTold) return;
    this.#isFailureTold = true;
    this.#events.onFailed(failure);
  }

  /** Records that we end it ourselves, which is no failure. */
  ended(): void {
    this.#isFailureTold = true;
  }
}
