const WINDOW_MS = 10_000;

/** The highest rate at which a service accepted messages, measured in windows of ten seconds. */
export class UsualRate {
  #startedAt = Number.NEGATIVE_INFINITY;
  #accepted = 0;
  #max = 0;

  /** Counts a message that was accepted at a time on the monotonic clock. */
  note(at: number): void {
    if (at - this.#startedAt >= WINDOW_MS) {
      this.#startedAt = at;
      this.#accepted = 0;
    }
    this.#accepted += 1;
    this.#max = Math.max(this.#max, this.#accepted);
  }

  /** The rate in messages per second. */
  get perSecond(): number {
    return (this.#max * 1_000) / WINDOW_MS;
  }
}
