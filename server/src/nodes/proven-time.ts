import type { Logger } from "pino";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Lead over the proven time from which the clock is doubted: more than after a day of downtime. */
const DOUBTED_FROM_MS = 25 * HOUR_MS;
/** Time after which a clock that ran evenly is believed, wherever it stands. */
const BELIEVED_AFTER_MS = HOUR_MS;
/** Largest deviation of a clock that runs evenly. */
const UNEVEN_MS = MINUTE_MS;
const LOOK_EVERY_MS = MINUTE_MS;
const LOOKS_BETWEEN_MARKS = 60;

const DOUBT =
  "the clock is more than a day ahead of what this server knows: look at it; for an hour nothing is deleted by it, and nothing expires";

/** The state kept over a restart; both in milliseconds since the epoch. */
export interface TimeMark {
  /** The proven time. */
  readonly proven: number;
  /** The time that the clock showed. */
  readonly shown: number;
}

export interface ProvenTimeOptions {
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  readonly log: Pick<Logger, "warn" | "info">;
  /** The mark of the process before; null if there is none. */
  readonly mark: TimeMark | null;
  /** Stores the mark for the next process. */
  readonly remember: (mark: TimeMark) => Promise<void>;
}

/** Creation and end of something, in milliseconds since the epoch. */
export interface Life {
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The clock's lead over the proven time, and since when it runs evenly there. */
interface Lead {
  readonly ms: number;
  /** By `elapsed`. */
  readonly since: number;
  /** The time that the clock showed then. */
  readonly shown: number;
  readonly isDoubted: boolean;
}

/**
 * The time that has certainly passed: the time proven before, and what has elapsed since. A clock that is ahead of it,
 * after a jump or at a start, is believed once it ran evenly for an hour; nothing is deleted by it sooner. If it is
 * ahead by more than a day, nothing that was accepted before ends by it either: a wrong clock cannot be told from a
 * long downtime.
 */
export class ProvenTime {
  readonly #options: ProvenTimeOptions;
  /** A proven moment, and the same moment by `elapsed`. */
  #anchor: { readonly at: number; readonly elapsed: number };
  #lead: Lead | null = null;
  #timer: NodeJS.Timeout | null = null;
  #remembering: Promise<void> = Promise.resolve();

  constructor(options: ProvenTimeOptions) {
    this.#options = options;
    const { mark, now, elapsed } = options;
    this.#anchor = { at: mark?.proven ?? now(), elapsed: elapsed() };
    this.now();
  }

  /** The time that the clock showed at the end of the process before; null if unknown. */
  get shownBefore(): number | null {
    return this.#options.mark?.shown ?? null;
  }

  /** Returns the proven time in milliseconds since the epoch: never later than the clock. */
  readonly now = (): number => {
    const shown = this.#options.now();
    const elapsed = this.#options.elapsed();
    // Moments are whole numbers, as ids are made of them.
    const proven = Math.floor(this.#anchor.at + (elapsed - this.#anchor.elapsed));
    const ms = shown - proven;
    if (ms <= 0) return this.#believe(shown, elapsed);
    if (this.#lead === null || Math.abs(ms - this.#lead.ms) > UNEVEN_MS) {
      this.#follow({ ms, since: elapsed, shown, isDoubted: ms > DOUBTED_FROM_MS });
    }
    const evenMs = elapsed - (this.#lead?.since ?? elapsed);
    return evenMs >= BELIEVED_AFTER_MS ? this.#believe(shown, elapsed) : proven;
  };

  /** Returns whether something created before a doubted lead began would be over at moment `at` by that lead alone. */
  readonly isInDoubt = ({ createdAt, expiresAt }: Life, at = this.#options.now()): boolean => {
    const proven = this.now();
    if (this.#lead?.isDoubted !== true) return false;
    return createdAt < this.#lead.shown && expiresAt > proven && expiresAt <= at;
  };

  /** Starts checking the clock at intervals. */
  start(): void {
    let looks = 0;
    this.#timer = setInterval(() => {
      this.now();
      looks += 1;
      if (looks % LOOKS_BETWEEN_MARKS === 0) void this.remember();
    }, LOOK_EVERY_MS).unref();
  }

  /** Stores the current mark; never rejects. */
  async remember(): Promise<void> {
    const mark = { proven: this.now(), shown: this.#options.now() };
    this.#remembering = this.#remembering.then(() => this.#write(mark));
    await this.#remembering;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.remember();
  }

  #believe(at: number, elapsed: number): number {
    this.#anchor = { at, elapsed };
    this.#follow(null);
    return at;
  }

  /** Logs when a doubt begins and ends. */
  #follow(lead: Lead | null): void {
    const wasDoubted = this.#lead?.isDoubted === true;
    this.#lead = lead;
    if (lead?.isDoubted === true) {
      const facts = { clock: new Date(lead.shown), proven: new Date(lead.shown - lead.ms) };
      this.#options.log.warn(facts, DOUBT);
    } else if (wasDoubted) this.#options.log.info("the clock is believed again");
    else return;
    // Stored now: if this process is killed meanwhile, the mark shows the next one a clock rollback.
    void this.remember();
  }

  async #write(mark: TimeMark): Promise<void> {
    try {
      await this.#options.remember(mark);
    } catch (error) {
      this.#options.log.warn({ err: error }, "what is known of the time is remembered later");
    }
  }
}
