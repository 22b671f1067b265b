/** Length of the windows in which responses are counted. */
const WINDOW_MS = 30_000;
/**
 * Smallest number of failures that shows trouble of the service: in a row, or as more than half of the responses in a
 * window.
 */
const FAILURES_MIN = 5;
/**
 * Smallest share of failures in a window that shows trouble, because a busy service sometimes fails a few times in a
 * row.
 */
const FAILURE_SHARE_MIN = 0.05;
/** Maximum number of devices whose failures are remembered. */
const DEVICES_MAX = 1_000;

/**
 * Counts the recent responses of a service, to tell trouble of the service from trouble of one device. Uses the
 * monotonic clock.
 */
export class FailureCount {
  #windowStartedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #responses = 0;
  /** Responses in the previous window. */
  #previousResponses = 0;
  /**
   * Failures without a proper response in between, over any time, so that trouble of a service with few messages is
   * found too.
   */
  #failuresInRow = 0;
  readonly #failedDevices = new Set<string>();

  /** Counts a proper response of any kind. */
  recordResponse(now: number): void {
    this.#rollWindow(now);
    this.#responses += 1;
    this.#failuresInRow = 0;
    this.#failedDevices.clear();
  }

  /** Counts a failure; returns whether the service itself fails. */
  recordFailure(now: number, deviceId: string): boolean {
    this.#rollWindow(now);
    this.#responses += 1;
    this.#failures += 1;
    this.#failuresInRow += 1;
    if (this.#failedDevices.size < DEVICES_MAX) this.#failedDevices.add(deviceId);
    const responses = Math.max(this.#responses, this.#previousResponses);
    const threshold = Math.max(FAILURES_MIN, FAILURE_SHARE_MIN * responses);
    const isMany = this.#failures >= threshold && this.#failures * 2 > this.#responses;
    return isMany || this.#failuresInRow >= threshold;
  }

  /**
   * Returns whether the service failed for this device since its last proper response, as far as this is remembered.
   */
  hasFailedFor(deviceId: string): boolean {
    return this.#failedDevices.has(deviceId);
  }

  #rollWindow(now: number): void {
    const age = now - this.#windowStartedAt;
    if (age < WINDOW_MS) return;
    this.#previousResponses = age < 2 * WINDOW_MS ? this.#responses : 0;
    this.#windowStartedAt = now;
    this.#failures = 0;
    this.#responses = 0;
  }
}
