import type { Logger } from "pino";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Lead over the proven time above which the wall clock is doubted. A day of downtime causes a smaller lead. */
const DOUBT_LEAD_MS = 25 * HOUR_MS;
/** Time after which a steady wall clock is trusted, even if it is far ahead. */
const TRUST_AFTER_MS = HOUR_MS;
/** Largest deviation of a steady wall clock. */
const STEADY_DEVIATION_MS = MINUTE_MS;
const CHECK_INTERVAL_MS = MINUTE_MS;
const CHECKS_PER_MARK = 60;

const DOUBT_MESSAGE =
  "the clock is more than a day ahead of the proven time: check it; the server deletes and expires nothing for an hour";

/** The state that survives a restart. Both times are in milliseconds since the epoch. */
export interface TimeMark {
  /** The proven time. */
  readonly provenAt: number;
  /** The time that the wall clock showed. */
  readonly shownAt: number;
}

/** The clocks, the mark of the previous process, and the storage of the mark for the next process. */
export interface ProvenTimeDeps {
  /** The wall clock, in milliseconds since the epoch: on PostgreSQL, the clock of the database. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  readonly log: Pick<Logger, "warn" | "info">;
  /** The mark of the previous process; null if there is none. */
  readonly mark: TimeMark | null;
  /** Stores the mark for the next process. */
  readonly storeMark: (mark: TimeMark) => Promise<void>;
}

/** Creation and expiry, in milliseconds since the epoch. */
export interface Lifetime {
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The wall clock's lead over the proven time, and the start of that steady lead. */
interface Lead {
  readonly ms: number;
  /** The start of the lead, as a reading of `elapsed`. */
  readonly startedAt: number;
  /** The time that the wall clock showed at the start of the lead. */
  readonly shownAt: number;
  readonly isDoubted: boolean;
}

/**
 * A clock that shows only time that has certainly passed: the previously proven time plus the time elapsed since. After a
 * jump or a restart, the wall clock may be ahead of the proven time. The wall clock is then trusted once it has run
 * steadily for an hour, and until then it deletes no data. If the wall clock is more than a day ahead, it expires no
 * earlier notification either, because a wrong clock looks the same as long downtime.
 */
export class ProvenTime {
  readonly #deps: ProvenTimeDeps;
  /** A proven time, and the reading of `elapsed` at that time. */
  #anchor: { readonly at: number; readonly elapsed: number };
  #lead: Lead | null = null;
  #timer: NodeJS.Timeout | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(deps: ProvenTimeDeps) {
    this.#deps = deps;
    const { mark, now, elapsed } = deps;
    this.#anchor = { at: mark?.provenAt ?? now(), elapsed: elapsed() };
    this.now();
  }

  /** The time that the wall clock showed at the last mark of the previous process; null without a mark. */
  get previousReadingAt(): number | null {
    return this.#deps.mark?.shownAt ?? null;
  }

  /** Returns the proven time in milliseconds since the epoch: never later than the wall clock. */
  readonly now = (): number => {
    const shownAt = this.#deps.now();
    const elapsed = this.#deps.elapsed();
    // Times are whole numbers, because ids are built from them.
    const provenAt = Math.floor(this.#anchor.at + (elapsed - this.#anchor.elapsed));
    const ms = shownAt - provenAt;
    if (ms <= 0) return this.#trust(shownAt, elapsed);
    if (this.#lead === null || Math.abs(ms - this.#lead.ms) > STEADY_DEVIATION_MS) {
      this.#setLead({ ms, startedAt: elapsed, shownAt, isDoubted: ms > DOUBT_LEAD_MS });
    }
    const steadyMs = elapsed - (this.#lead?.startedAt ?? elapsed);
    return steadyMs >= TRUST_AFTER_MS ? this.#trust(shownAt, elapsed) : provenAt;
  };

  /**
   * Returns whether something that was created before a doubted lead would be expired at time `at` only because of
   * that lead.
   */
  readonly isExpiryInDoubt = (
    { createdAt, expiresAt }: Lifetime,
    at = this.#deps.now(),
  ): boolean => {
    const provenAt = this.now();
    if (this.#lead?.isDoubted !== true) return false;
    return createdAt < this.#lead.shownAt && expiresAt > provenAt && expiresAt <= at;
  };

  /** Starts checking the wall clock at intervals. */
  start(): void {
    let checks = 0;
    this.#timer = setInterval(() => {
      this.now();
      checks += 1;
      if (checks % CHECKS_PER_MARK === 0) void this.storeMark();
    }, CHECK_INTERVAL_MS).unref();
  }

  /** Stores the current mark. Never rejects. */
  async storeMark(): Promise<void> {
    const mark = { provenAt: this.now(), shownAt: this.#deps.now() };
    this.#storing = this.#storing.then(() => this.#write(mark));
    await this.#storing;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.storeMark();
  }

  #trust(at: number, elapsed: number): number {
    this.#anchor = { at, elapsed };
    this.#setLead(null);
    return at;
  }

  /** Sets the lead, and logs when the wall clock is first doubted and when it is trusted again. */
  #setLead(lead: Lead | null): void {
    const wasDoubted = this.#lead?.isDoubted === true;
    this.#lead = lead;
    if (lead?.isDoubted === true) {
      const facts = { clock: new Date(lead.shownAt), proven: new Date(lead.shownAt - lead.ms) };
      this.#deps.log.warn(facts, DOUBT_MESSAGE);
    } else if (wasDoubted) this.#deps.log.info("the clock is trusted again");
    else return;
    // Stored immediately: if this process is killed before the next mark, its successor can detect a clock rollback.
    void this.storeMark();
  }

  async #write(mark: TimeMark): Promise<void> {
    try {
      await this.#deps.storeMark(mark);
    } catch (error) {
      this.#deps.log.warn({ err: error }, "the time mark could not be stored; it is stored later");
    }
  }
}
