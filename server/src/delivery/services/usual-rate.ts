const WINDOW_MS = 10_000;

/** Knows how many messages a service took a second where it took most, by windows of ten seconds. */
export class UsualRate {
  #startedAt = Number.NEGATIVE_INFINITY;
  #count = 0;
  #most = 0;

  /** Counts a message that was taken, at a moment in milliseconds. */
  note(at: number): void {
    const isWithin = at >= this.#startedAt && at - this.#startedAt < WINDOW_MS;
    if (!isWithin) {
      this.#startedAt = at;
      this.#count = 0;
    }
    this.#count += 1;
    this.#most = Math.max(this.#most, this.#count);
  }

  get perSecond(): number {
    return (this.#most * 1_000) / WINDOW_MS;
  }
}
