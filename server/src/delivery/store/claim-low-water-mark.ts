import { LANES, type Lane } from "../delivery.ts";

/** A job may become visible so much later than its moment: it is committed, by a clock that may be another's. */
const LATE_MAX_MS = 30_000;
/** So often everything is looked through, for what came later still. */
const LOOK_BACK_EVERY_MS = 60_000;

/**
 * Says from which moment on work is to be looked for. Where all that was due was taken a while ago, nothing older is left but
 * what was deleted, and on PostgreSQL an index keeps that as long as any transaction might see it: with one that stays open
 * for minutes, each look would pass by everything that was sent since it began.
 */
export class ClaimLowWaterMark {
  readonly #isNeeded: boolean;
  /** By lane: when the last look found all that was due. */
  readonly #drainedAt = new Map<Lane, number>();
  readonly #lookedBackAt = new Map<Lane, number>();

  constructor(isNeeded: boolean) {
    this.#isNeeded = isNeeded;
  }

  /** Returns the moment from which a look at `now` must reach, in milliseconds since the epoch; 0 is the beginning. */
  from(lane: Lane, now: number): number {
    const drainedAt = this.#isNeeded ? this.#drainedAt.get(lane) : undefined;
    if (drainedAt === undefined) return 0;
    if (drainedAt <= now) return Math.max(0, drainedAt - LATE_MAX_MS);
    // The clock was set back: what becomes due from here on lies before what was taken.
    this.#drainedAt.delete(lane);
    return 0;
  }

  /** Returns the moment before which no lane has anything. */
  first(now: number): number {
    return Math.min(...LANES.map((lane) => this.from(lane, now)));
  }

  /** True where it must be asked whether there is anything before that moment after all. */
  isLookBackDue(lane: Lane, now: number): boolean {
    const lookedBackAt = this.#lookedBackAt.get(lane) ?? now;
    const isLate = now < lookedBackAt || now - lookedBackAt >= LOOK_BACK_EVERY_MS;
    return isLate && this.from(lane, now) > 0;
  }

  /** Records what was found before that moment: where there is something, looks reach back to the beginning again. */
  lookedBack(lane: Lane, now: number, hasFound: boolean): void {
    this.#lookedBackAt.set(lane, now);
    if (hasFound) this.#drainedAt.delete(lane);
  }

  /** Records that a look at `now` took all that was due. */
  drained(lane: Lane, now: number): void {
    this.#drainedAt.set(lane, now);
    if (!this.#lookedBackAt.has(lane)) this.#lookedBackAt.set(lane, now);
  }
}
