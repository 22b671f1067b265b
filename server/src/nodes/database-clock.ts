/** A reading of the database's clock, between the moments of the request and of the answer by `elapsed`. */
export interface Reading {
  readonly askedAt: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly heardAt: number;
}

/**
 * The clock of the database as this process knows it: between two readings it runs by what has elapsed, so that a jump
 * of this machine's clock changes nothing. A slow answer changes nothing either: a known offset stays if it fits.
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
    if (this.#offset === null) throw new Error("The database was not asked for the time yet.");
    return Math.floor(this.#elapsed() + this.#offset);
  };

  /** Reads the database's clock with `ask` and applies the reading. */
  async read(ask: () => Promise<number>): Promise<void> {
    const askedAt = this.#elapsed();
    const at = await ask();
    this.take({ askedAt, at, heardAt: this.#elapsed() });
  }

  /** Returns the monotonic time by which readings for `take` are stamped. */
  elapsed(): number {
    return this.#elapsed();
  }

  /** Applies a reading: the database read its clock at some moment between request and answer, which bounds the offset. */
  take({ askedAt, at, heardAt }: Reading): void {
    const least = at - heardAt;
    const most = at + 1 - askedAt;
    this.#offset =
      this.#offset === null ? (least + most) / 2 : Math.min(Math.max(this.#offset, least), most);
  }
}
