import type { Logger } from "pino";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Lead over the proven time that puts the clock in doubt: more than a downtime of one day causes. */
const DOUBT_LEAD_MS = 25 * HOUR_MS;
/** Time after which a steady clock is trusted, even if it is far ahead. */
const TRUST_AFTER_MS = HOUR_MS;
/** Largest deviation of a steady clock. */
const STEADY_DEVIATION_MS = MINUTE_MS;
const CHECK_INTERVAL_MS = MINUTE_MS;
const CHECKS_PER_MARK = 60;

const DOUBT =
  "the clock is more than a day ahead of what this server knows: look at it; for an hour nothing is deleted by it, and nothing expires";

/** The state that survives a restart. Both times are in milliseconds since the epoch. */
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
  /** The mark of the previous process; null if there is none. */
  readonly mark: TimeMark | null;
  /** Stores the mark for the next process. */
  readonly remember: (mark: TimeMark) => Promise<void>;
}

/** Creation and expiry, in milliseconds since the epoch. */
export interface Life {
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The clock's lead over the proven time, and the start of that steady lead. */
interface Lead {
  readonly ms: number;
  /** By `elapsed`. */
  readonly since: number;
  /** The time that the clock showed at the start of the lead. */
  readonly shown: number;
  readonly isDoubted: boolean;
}

/**
 * The time that has certainly passed: the previously proven time plus the time elapsed since. A clock that is ahead of
 * it, after a jump or at a start, is trusted after an hour of steady running; nothing is deleted by it before. If it
 * is more than a day ahead, nothing accepted earlier expires by it either, because a wrong clock looks the same as a
 * long downtime.
 */
export class ProvenTime {
  readonly #options: ProvenTimeOptions;
  /** A proven time, and the reading of `elapsed` at that time. */
  #anchor: { readonly at: number; readonly elapsed: number };
  #lead: Lead | null = null;
  #timer: NodeJS.Timeout | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(options: ProvenTimeOptions) {
    this.#options = options;
    const { mark, now, elapsed } = options;
    this.#anchor = { at: mark?.proven ?? now(), elapsed: elapsed() };
    this.now();
  }

  /** The time that the clock showed at the end of the previous process; null if unknown. */
  get shownBefore(): number | null {
    return this.#options.mark?.shown ?? null;
  }

  /** Returns the proven time in milliseconds since the epoch: never later than the clock. */
  readonly now = (): number => {
    const shown = this.#options.now();
    const elapsed = this.#options.elapsed();
    // Times are whole numbers, because ids are built from them.
    const proven = Math.floor(this.#anchor.at + (elapsed - this.#anchor.elapsed));
    const ms = shown - proven;
    if (ms <= 0) return this.#trust(shown, elapsed);
    if (this.#lead === null || Math.abs(ms - this.#lead.ms) > STEADY_DEVIATION_MS) {
      this.#setLead({ ms, since: elapsed, shown, isDoubted: ms > DOUBT_LEAD_MS });
    }
    const steadyMs = elapsed - (this.#lead?.since ?? elapsed);
    return steadyMs >= TRUST_AFTER_MS ? this.#trust(shown, elapsed) : proven;
  };

  /**
   * Returns whether something that was created before a doubted lead would be expired at time `at` only because of
   * that lead.
   */
  readonly isInDoubt = ({ createdAt, expiresAt }: Life, at = this.#options.now()): boolean => {
    const proven = this.now();
    if (this.#lead?.isDoubted !== true) return false;
    return createdAt < this.#lead.shown && expiresAt > proven && expiresAt <= at;
  };

  /** Starts checking the clock at intervals. */
  start(): void {
    let checks = 0;
    this.#timer = setInterval(() => {
      this.now();
      checks += 1;
      if (checks % CHECKS_PER_MARK === 0) void this.remember();
    }, CHECK_INTERVAL_MS).unref();
  }

  /** Stores the current mark. Never rejects. */
  async remember(): Promise<void> {
    const mark = { proven: this.now(), shown: this.#options.now() };
    this.#storing = this.#storing.then(() => this.#write(mark));
    await this.#storing;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.remember();
  }

  #trust(at: number, elapsed: number): number {
    this.#anchor = { at, elapsed };
    this.#setLead(null);
    return at;
  }

  /** Sets the lead, and logs the start and end of a doubt. */
  #setLead(lead: Lead | null): void {
    const wasDoubted = this.#lead?.isDoubted === true;
    this.#lead = lead;
    if (lead?.isDoubted === true) {
      const facts = { clock: new Date(lead.shown), proven: new Date(lead.shown - lead.ms) };
      this.#options.log.warn(facts, DOUBT);
    } else if (wasDoubted) this.#options.log.info("the clock is believed again");
    else return;
    // Stored immediately: if this process is killed before the next mark, its successor can detect a clock rollback.
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
