/** When the database was asked for its clock, what it said, and when that was heard; the outer two by `elapsed`. */
export interface Reading {
  readonly askedAt: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly heardAt: number;
}

/**
 * The clock of the database as this process knows it: between two readings it runs by what has elapsed, so that a jump
 * of this machine's clock changes nothing. A slow answer disturbs nothing either: what is known stays where it fits.
 */
export class DatabaseClock {
  readonly #elapsed: () => number;
  #offset: number | null = null;

  /** `elapsed` counts milliseconds from any moment on, and never jumps. */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** Milliseconds since the epoch; throws before the first reading. */
  readonly now = (): number => {
    if (this.#offset === null) throw new Error("The database was not asked for the time yet.");
    return Math.floor(this.#elapsed() + this.#offset);
  };

  /** Asks for the time and takes it in. */
  async read(ask: () => Promise<number>): Promise<void> {
    const askedAt = this.#elapsed();
    const at = await ask();
    this.take({ askedAt, at, heardAt: this.#elapsed() });
  }

  /** The moment by which the time of `take` is told. */
  elapsed(): number {
    return this.#elapsed();
  }

  /** Takes a reading in: the truth lies between what it would be at once and after the whole round trip. */
  take({ askedAt, at, heardAt }: Reading): void {
    const least = at - heardAt;
    const most = at + 1 - askedAt;
    this.#offset =
      this.#offset === null ? (least + most) / 2 : Math.min(Math.max(this.#offset, least), most);
  }
}
