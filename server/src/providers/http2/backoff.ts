const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Decides when the next connection may be tried. Each connection that fails before it answered doubles the wait; an answer
 * resets it. Push services treat a client that reconnects again and again as an attacker.
 */
export class Backoff {
  readonly #elapsed: () => number;
  #failures = 0;
  #failedAt = 0;
  #waitMs = 0;

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** True if a connection may be tried now. */
  get isOver(): boolean {
    return this.#elapsed() - this.#failedAt >= this.#waitMs;
  }

  /** Records a connection that ended before it answered anything. */
  failed(): void {
    this.#failures += 1;
    this.#failedAt = this.#elapsed();
    this.#waitMs = Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 1), LONGEST_WAIT_MS);
  }

  /**
   * Records a connection that the server closed in good order before it answered anything. The first one may be a restart,
   * so it causes no wait.
   */
  turnedAway(): void {
    this.failed();
    if (this.#failures === 1) this.#waitMs = 0;
  }

  /** Records an answer. */
  succeeded(): void {
    this.#failures = 0;
    this.#waitMs = 0;
  }
}
