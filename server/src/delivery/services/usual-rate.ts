/** Length of a window. A window begins with the first acceptance after the end of the previous one. */
const WINDOW_MS = 10_000;

/** The highest rate at which a service accepted messages in any window. */
export class UsualRate {
  #startedAt = Number.NEGATIVE_INFINITY;
  #accepted = 0;
  #acceptedMax = 0;

  /** Counts a message that was accepted at a time on the monotonic clock. */
  recordAcceptance(at: number): void {
    if (at - this.#startedAt >= WINDOW_MS) {
      this.#startedAt = at;
      this.#accepted = 0;
    }
    this.#accepted += 1;
    this.#acceptedMax = Math.max(this.#acceptedMax, this.#accepted);
  }

  /** The rate in messages per second. */
  get perSecond(): number {
    return (this.#acceptedMax * 1_000) / WINDOW_MS;
  }
}
