import type { Logger } from "pino";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** So far the clock may be ahead of what is proven before it is doubted: more than after a day of rest. */
const DOUBTED_FROM_MS = 25 * HOUR_MS;
/** A clock that ran evenly for so long is believed, wherever it stands. */
const BELIEVED_AFTER_MS = HOUR_MS;
/** Even is what is never further from it than this. */
const UNEVEN_MS = MINUTE_MS;
const LOOK_EVERY_MS = MINUTE_MS;
const LOOKS_BETWEEN_MARKS = 60;

const DOUBT =
  "the clock is more than a day ahead of what this server knows: look at it; for an hour nothing is deleted by it, and nothing expires";

/** What is remembered over a restart; both in milliseconds since the epoch. */
export interface TimeMark {
  /** The time that was proven. */
  readonly proven: number;
  /** What the clock showed. */
  readonly shown: number;
}

export interface ProvenTimeOptions {
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Counts milliseconds from any moment on, and never jumps. */
  readonly elapsed: () => number;
  readonly log: Pick<Logger, "warn" | "info">;
  /** What was known before this process; null where nothing was. */
  readonly mark: TimeMark | null;
  /** Remembers what is known for the next process. */
  readonly remember: (mark: TimeMark) => Promise<void>;
}

/** When something was made and when it ends, in milliseconds since the epoch. */
export interface Life {
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** How far the clock is ahead of what is proven, and since when it runs evenly there. */
interface Lead {
  readonly ms: number;
  /** By `elapsed`. */
  readonly since: number;
  /** What the clock showed then. */
  readonly shown: number;
  readonly isDoubted: boolean;
}

/**
 * The time that has certainly passed: what was proven before, and what has elapsed since. A clock that is ahead of it, after a
 * jump or at a start, is believed once it ran evenly for an hour; nothing is deleted by it sooner. Where it is ahead by more
 * than a day, nothing that was accepted before ends by it either: nobody can tell a wrong clock from a long rest.
 */
export class ProvenTime {
  readonly #options: ProvenTimeOptions;
  /** A moment that is proven, and when that was by `elapsed`. */
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

  /** What the clock showed at the end of the process before this one; null where that is not known. */
  get shownBefore(): number | null {
    return this.#options.mark?.shown ?? null;
  }

  /** Milliseconds since the epoch: never later than the clock. */
  readonly now = (): number => {
    const shown = this.#options.now();
    const elapsed = this.#options.elapsed();
    // Moments are whole: ids are made of them.
    const proven = Math.floor(this.#anchor.at + (elapsed - this.#anchor.elapsed));
    const ms = shown - proven;
    if (ms <= 0) return this.#believe(shown, elapsed);
    if (this.#lead === null || Math.abs(ms - this.#lead.ms) > UNEVEN_MS) {
      this.#follow({ ms, since: elapsed, shown, isDoubted: ms > DOUBTED_FROM_MS });
    }
    const evenMs = elapsed - (this.#lead?.since ?? elapsed);
    return evenMs >= BELIEVED_AFTER_MS ? this.#believe(shown, elapsed) : proven;
  };

  /** Returns whether something that was there before the clock got so far ahead would be over `at` that moment by it alone. */
  isInDoubt({ createdAt, expiresAt }: Life, at = this.#options.now()): boolean {
    const proven = this.now();
    if (this.#lead?.isDoubted !== true) return false;
    return createdAt < this.#lead.shown && expiresAt > proven && expiresAt <= at;
  }

  /** Begins to look at the clock by itself. */
  start(): void {
    let looks = 0;
    this.#timer = setInterval(() => {
      this.now();
      looks += 1;
      if (looks % LOOKS_BETWEEN_MARKS === 0) void this.remember();
    }, LOOK_EVERY_MS).unref();
  }

  /** Remembers what is known now; never rejects. */
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

  /** Tells when a doubt begins and ends. */
  #follow(lead: Lead | null): void {
    const wasDoubted = this.#lead?.isDoubted === true;
    this.#lead = lead;
    if (lead?.isDoubted === true) {
      const facts = { clock: momentOf(lead.shown), proven: momentOf(lead.shown - lead.ms) };
      this.#options.log.warn(facts, DOUBT);
    } else if (wasDoubted) this.#options.log.info("the clock is believed again");
    else return;
    // A process that is killed meanwhile leaves what tells the next one that the clock was set back.
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

function momentOf(at: number): string {
  return new Date(at).toISOString();
}
