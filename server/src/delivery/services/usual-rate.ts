const WINDOW_MS = 10_000;

/** The highest rate at which a service accepted messages, by windows of ten seconds. */
export class UsualRate {
  #startedAt = Number.NEGATIVE_INFINITY;
  #count = 0;
  #most = 0;

  /** Counts a message that was accepted at a moment of the monotonic clock. */
  note(at: number): void {
    if (at - this.#startedAt >= WINDOW_MS) {
      this.#startedAt = at;
      this.#count = 0;
    }
    this.#count += 1;
    this.#most = Math.max(this.#most, this.#count);
  }

  /** Messages per second. */
  get perSecond(): number {
    return (this.#most * 1_000) / WINDOW_MS;
  }
}
