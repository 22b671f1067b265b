import { LANES, type Lane } from "../delivery.ts";

/** Longest time between a job's due time and its commit. Another node may store the job, and its clock may differ. */
const LATE_MAX_MS = 30_000;
/** Interval of the scans from 0. They find jobs that were committed even later. */
const LOOK_BACK_EVERY_MS = 60_000;

/**
 * The lowest due time that a claim has to scan, for each lane. Once a lane is drained, only deleted rows are older. PostgreSQL
 * keeps deleted rows in its indexes for as long as an open transaction may see them. Without the mark, a transaction that stays
 * open for minutes would make every claim scan everything that was sent since it began.
 */
export class ClaimLowWaterMark {
  readonly #isEnabled: boolean;
  readonly #elapsed: () => number;
  /** Time of the last claim that drained the lane, in milliseconds since the epoch like the due times of jobs. */
  readonly #drainedAt = new Map<Lane, number>();
  /** Time of the last look-back, on the monotonic clock. */
  readonly #lookedBackAt = new Map<Lane, number>();

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(isEnabled: boolean, elapsed: () => number) {
    this.#isEnabled = isEnabled;
    this.#elapsed = elapsed;
  }

  /** Returns the lowest due time that a claim at `now` has to scan, in milliseconds since the epoch; 0 scans everything. */
  from(lane: Lane, now: number): number {
    const drainedAt = this.#isEnabled ? this.#drainedAt.get(lane) : undefined;
    // A mark in the future holds nothing back: new jobs may become due before it.
    if (drainedAt === undefined || drainedAt > now) return 0;
    return Math.max(0, drainedAt - LATE_MAX_MS);
  }

  /** Returns the lowest mark of all lanes at `now`. */
  lowest(now: number): number {
    return Math.min(...LANES.map((lane) => this.from(lane, now)));
  }

  /** Returns whether it is time to check that no job lies before the mark. */
  isLookBackDue(lane: Lane, now: number): boolean {
    const elapsed = this.#elapsed();
    const lookedBackAt = this.#lookedBackAt.get(lane) ?? elapsed;
    return elapsed - lookedBackAt >= LOOK_BACK_EVERY_MS && this.from(lane, now) > 0;
  }

  /** Records whether a look-back found a job before the mark. If so, claims scan from 0 again. */
  recordLookBack(lane: Lane, hasFound: boolean): void {
    this.#lookedBackAt.set(lane, this.#elapsed());
    if (hasFound) this.#drainedAt.delete(lane);
  }

  /** Records that a claim at `now`, in milliseconds since the epoch, took all due jobs of the lane. */
  recordDrained(lane: Lane, now: number): void {
    this.#drainedAt.set(lane, now);
    if (!this.#lookedBackAt.has(lane)) this.#lookedBackAt.set(lane, this.#elapsed());
  }

  /** Makes claims of all lanes scan from 0 again, because jobs were made due before the marks. */
  reset(): void {
    this.#drainedAt.clear();
  }
}
