import { LANES, type Lane } from "../delivery.ts";

/** Largest delay after its moment with which a job becomes visible: it is committed, by a clock that may be another's. */
const LATE_MAX_MS = 30_000;
/** Interval at which everything is looked through, for what came later still. */
const LOOK_BACK_EVERY_MS = 60_000;

/**
 * The moment from which due work is looked for, by lane. Once all that was due was taken, nothing older is left but what was
 * deleted, and on PostgreSQL an index keeps that as long as any transaction might see it: with one that stays open for
 * minutes, each look would pass by everything that was sent since it began.
 */
export class ClaimLowWaterMark {
  readonly #isNeeded: boolean;
  readonly #elapsed: () => number;
  /** When the last look found all that was due, in milliseconds since the epoch, as jobs are stored. */
  readonly #drainedAt = new Map<Lane, number>();
  /** By the monotonic clock. */
  readonly #lookedBackAt = new Map<Lane, number>();

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(isNeeded: boolean, elapsed: () => number) {
    this.#isNeeded = isNeeded;
    this.#elapsed = elapsed;
  }

  /** Returns the moment from which a look at `now` must reach, in milliseconds since the epoch; 0 is the beginning. */
  from(lane: Lane, now: number): number {
    const drainedAt = this.#isNeeded ? this.#drainedAt.get(lane) : undefined;
    // A mark ahead of `now` says nothing of the jobs that become due from here on.
    if (drainedAt === undefined || drainedAt > now) return 0;
    return Math.max(0, drainedAt - LATE_MAX_MS);
  }

  /** Returns the moment before which no lane has anything due at `now`. */
  first(now: number): number {
    return Math.min(...LANES.map((lane) => this.from(lane, now)));
  }

  /** Returns whether it is time to check that nothing lies before that moment. */
  isLookBackDue(lane: Lane, now: number): boolean {
    const elapsed = this.#elapsed();
    const lookedBackAt = this.#lookedBackAt.get(lane) ?? elapsed;
    return elapsed - lookedBackAt >= LOOK_BACK_EVERY_MS && this.from(lane, now) > 0;
  }

  /** Records whether anything was found before that moment: if so, looks reach back to the beginning again. */
  lookedBack(lane: Lane, hasFound: boolean): void {
    this.#lookedBackAt.set(lane, this.#elapsed());
    if (hasFound) this.#drainedAt.delete(lane);
  }

  /** Records that a look at `now`, in milliseconds since the epoch, took all that was due. */
  drained(lane: Lane, now: number): void {
    this.#drainedAt.set(lane, now);
    if (!this.#lookedBackAt.has(lane)) this.#lookedBackAt.set(lane, this.#elapsed());
  }

  /** Makes all looks reach back to the beginning again: jobs were made due before what was taken. */
  forget(): void {
    this.#drainedAt.clear();
  }
}
