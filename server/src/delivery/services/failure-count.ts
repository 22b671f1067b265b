const WINDOW_MS = 30_000;
/** Failures in a row, or within the window and more than half of all answers, that are the service's and no device's, … */
const FAILURES_BORNE = 5;
/** … if they are this share of its answers in a window: a busy service fails now and then for a few in a row. */
const FAILURES_SHARE = 0.05;
const DEVICES_MAX = 1_000;

/** Counts the recent answers of a service, to tell its own trouble from a device's. Moments are by the monotonic clock. */
export class FailureCount {
  #windowStartedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #answers = 0;
  /** Answers in the window before. */
  #answersBefore = 0;
  /** Failures without an answer in between, however long that took: few messages prove as much as many. */
  #failuresInRow = 0;
  readonly #failed = new Set<string>();

  /** Counts a proper answer, of any kind. */
  answered(now: number): void {
    this.#roll(now);
    this.#answers += 1;
    this.#failuresInRow = 0;
    this.#failed.clear();
  }

  /** Counts a failure to answer; returns whether the service itself fails. */
  failed(now: number, deviceId: string): boolean {
    this.#roll(now);
    this.#answers += 1;
    this.#failures += 1;
    this.#failuresInRow += 1;
    if (this.#failed.size < DEVICES_MAX) this.#failed.add(deviceId);
    const usual = Math.max(this.#answers, this.#answersBefore);
    const borne = Math.max(FAILURES_BORNE, FAILURES_SHARE * usual);
    const isMany = this.#failures >= borne && this.#failures * 2 > this.#answers;
    return isMany || this.#failuresInRow >= borne;
  }

  /** Returns whether the service failed for this device since its last answer. */
  hasFailedFor(deviceId: string): boolean {
    return this.#failed.has(deviceId);
  }

  #roll(now: number): void {
    const age = now - this.#windowStartedAt;
    if (age < WINDOW_MS) return;
    this.#answersBefore = age < 2 * WINDOW_MS ? this.#answers : 0;
    this.#windowStartedAt = now;
    this.#failures = 0;
    this.#answers = 0;
  }
}
