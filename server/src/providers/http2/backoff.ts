const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Says when the next connection may be tried: connections that come to nothing double the wait, an answer ends it.
 * Services take a client that connects again and again for an attacker.
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

  /** True where nothing speaks against a connection now. */
  get isOver(): boolean {
    return this.#elapsed() - this.#failedAt >= this.#waitMs;
  }

  /** Records a connection that ended before it answered anything. */
  failed(): void {
    this.#failures += 1;
    this.#failedAt = this.#elapsed();
    this.#waitMs = Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 1), LONGEST_WAIT_MS);
  }

  /** Records a connection that was shut in good order before it answered anything: once may be a restart. */
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
