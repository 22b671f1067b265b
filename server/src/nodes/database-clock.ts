/** A reading of the database's clock, with the times of request and response by `elapsed`. */
export interface ClockReading {
  readonly requestedAt: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly receivedAt: number;
}

/**
 * The database's clock as this process knows it. Between two readings it advances with the monotonic clock, so a jump
 * of this machine's wall clock has no effect. A slow response has none either: a known offset stays as long as it
 * fits.
 */
export class DatabaseClock {
  readonly #elapsed: () => number;
  #offset: number | null = null;

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Milliseconds since the epoch; throws before the first reading. */
  readonly now = (): number => {
    if (this.#offset === null) throw new Error("The database's clock has not been read yet.");
    return Math.floor(this.#elapsed() + this.#offset);
  };

  /** Reads the database's clock with `query` and applies the reading. */
  async read(query: () => Promise<number>): Promise<void> {
    const requestedAt = this.#elapsed();
    const at = await query();
    this.applyReading({ requestedAt, at, receivedAt: this.#elapsed() });
  }

  /** Returns the monotonic time for the time stamps of a reading. */
  elapsed(): number {
    return this.#elapsed();
  }

  /**
   * Applies a reading. The database read its clock at some time between request and response, which bounds the offset.
   */
  applyReading({ requestedAt, at, receivedAt }: ClockReading): void {
    const lowest = at - receivedAt;
    const highest = at + 1 - requestedAt;
    this.#offset =
      this.#offset === null
        ? (lowest + highest) / 2
        : Math.min(Math.max(this.#offset, lowest), highest);
  }
}
