/** Ends a connection that is silent for too long. The time that its reader spends on received data does not count. */
export class IdleWatch {
  /** Aborts on silence, on `stop`, or with the caller's signal. */
  readonly signal: AbortSignal;
  readonly #idleTimeoutMs: number;
  readonly #controller = new AbortController();

  constructor(idleTimeoutMs: number, signal: AbortSignal | undefined) {
    this.#idleTimeoutMs = idleTimeoutMs;
    const ownSignal = this.#controller.signal;
    this.signal = signal === undefined ? ownSignal : AbortSignal.any([ownSignal, signal]);
  }

  /** Returns the result of the task; aborts the signal if the task exceeds the idle timeout. */
  async withTimeout<T>(task: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#controller.abort(new DOMException("The stream is silent.", "TimeoutError"));
    }, this.#idleTimeoutMs);
    try {
      return await task();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the connection. */
  stop(): void {
    this.#controller.abort();
  }
}
