/** Ends a connection that stays silent; the time its reader takes over what came does not count. */
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

  /** Returns what the step does; aborts the signal when it takes longer than the silence allowed. */
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
