/** Ends a connection that is silent for too long; the time its reader takes for received data does not count. */
export class IdleWatch {
  /** Aborts on silence, on `stop`, and with the caller's signal. */
  readonly signal: AbortSignal;
  readonly #idleTimeoutMs: number;
  readonly #controller = new AbortController();

  constructor(idleTimeoutMs: number, signal: AbortSignal | undefined) {
    this.#idleTimeoutMs = idleTimeoutMs;
    const own = this.#controller.signal;
    this.signal = signal === undefined ? own : AbortSignal.any([own, signal]);
  }

  /** Returns the result of the step; aborts the signal if it takes longer than the allowed silence. */
  async over<T>(step: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#controller.abort(new DOMException("The stream is silent.", "TimeoutError"));
    }, this.#idleTimeoutMs);
    try {
      return await step();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the connection. */
  stop(): void {
    this.#controller.abort();
  }
}
