import { LANES, type Lane } from "../delivery.ts";

/**
 * A job may be committed this long after its due time, because another node stores it and that node's clock differs.
 */
const COMMIT_DELAY_MAX_MS = 30_000;
const LOOK_BACK_INTERVAL_MS = 60_000;

/**
 * The lowest due time that a claim has to scan, for each lane. Once a lane is drained, only deleted rows are older.
 * PostgreSQL keeps deleted rows in its indexes for as long as an open transaction may see them. Without the mark, a
 * transaction that stays open for minutes would make every claim scan everything that was sent since then.
 *
 * A look-back checks once a minute whether a lane has a job before the mark: one that was committed even later.
 */
export class ClaimLowWaterMark {
  readonly #isEnabled: boolean;
  readonly #elapsed: () => number;
  /** Time of the last claim that drained the lane, in milliseconds since the epoch like the due times of jobs. */
  readonly #drainedAt = new Map<Lane, number>();
  /** Time of the last look-back, on the monotonic clock. */
  readonly #lookedBackAt = new Map<Lane, number>();

  /**
   * `isEnabled` is false on a database that does not keep deleted rows in its indexes: every claim scans from the
   * beginning. `elapsed` is a monotonic clock, in milliseconds.
   */
  constructor(isEnabled: boolean, elapsed: () => number) {
    this.#isEnabled = isEnabled;
    this.#elapsed = elapsed;
  }

  /**
   * Returns the lowest due time that a claim at `now` has to scan, in milliseconds since the epoch; 0 scans everything.
   */
  getMark(lane: Lane, now: number): number {
    const drainedAt = this.#isEnabled ? this.#drainedAt.get(lane) : undefined;
    // Ignores a mark in the future: new jobs may become due before that time.
    if (drainedAt === undefined || drainedAt > now) return 0;
    return Math.max(0, drainedAt - COMMIT_DELAY_MAX_MS);
  }

  /** Returns the lowest mark of all lanes at `now`. */
  getLowestMark(now: number): number {
    return Math.min(...LANES.map((lane) => this.getMark(lane, now)));
  }

  /** Returns whether it is time to check that no job lies before the mark. */
  isLookBackDue(lane: Lane, now: number): boolean {
    const elapsed = this.#elapsed();
    const lookedBackAt = this.#lookedBackAt.get(lane) ?? elapsed;
    return elapsed - lookedBackAt >= LOOK_BACK_INTERVAL_MS && this.getMark(lane, now) > 0;
  }

  /** Records whether a look-back found a job before the mark. If so, claims scan from the beginning again. */
  recordLookBack(lane: Lane, foundJob: boolean): void {
    this.#lookedBackAt.set(lane, this.#elapsed());
    if (foundJob) this.#drainedAt.delete(lane);
  }

  /** Records that a claim at `now`, in milliseconds since the epoch, took all due jobs of the lane. */
  recordDrained(lane: Lane, now: number): void {
    this.#drainedAt.set(lane, now);
    if (!this.#lookedBackAt.has(lane)) this.#lookedBackAt.set(lane, this.#elapsed());
  }

  /** Makes claims of all lanes scan from the beginning again, because jobs were made due before the marks. */
  reset(): void {
    this.#drainedAt.clear();
  }
}
