/** The shortest and the longest wait before the next connection. */
const WAIT_MIN_MS = 1_000;
const WAIT_MAX_MS = 60_000;

/**
 * Determines when the next connection may be tried. Each connection that fails before its first response doubles the
 * wait; a response resets it. Push services treat a client that reconnects too often as an attacker.
 */
export class Backoff {
  readonly #elapsed: () => number;
  #failureCount = 0;
  #failedAt = 0;
  #waitMs = 0;

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Whether a connection may be tried now. */
  get mayConnect(): boolean {
    return this.#elapsed() - this.#failedAt >= this.#waitMs;
  }

  /** Records a connection that failed before its first response. */
  recordFailure(): void {
    this.#failureCount += 1;
    this.#failedAt = this.#elapsed();
    this.#waitMs = Math.min(WAIT_MIN_MS * 2 ** (this.#failureCount - 1), WAIT_MAX_MS);
  }

  /**
   * Records a connection that the server closed without an error before its first response. The first in a
   * row may be a restart, so it causes no wait.
   */
  recordOrderlyClose(): void {
    this.recordFailure();
    if (this.#failureCount === 1) this.#waitMs = 0;
  }

  /** Records a response. */
  recordResponse(): void {
    this.#failureCount = 0;
    this.#waitMs = 0;
  }
}
