/** The cause of a mismatch: our settings, this device, or unclear. */
export type MismatchCause = "settings" | "device" | "unclear";

/** The accepted and the mismatched messages of a short time. */
interface TimeBucket {
  readonly startedAt: number;
  accepted: number;
  mismatched: number;
}

const WINDOW_MS = 5 * 60 * 1000;
const BUCKET_MS = 10 * 1000;
/** A larger share cannot come only from leftover devices of another app. */
const DEVICE_MAX_PERCENT = 20;

/**
 * Distinguishes a device of another app from a server that is configured for another app. A push service responds to
 * both in the same way: the device belongs to another sender. Its responses for other devices in the last five minutes
 * show the cause.
 */
export class MismatchClassifier {
  readonly #elapsed: () => number;
  #buckets: TimeBucket[] = [];

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Counts a message that the push service accepted. */
  recordAccepted(): void {
    this.#getCurrentBucket().accepted += 1;
  }

  /** Counts a mismatch, and returns its cause as the other responses show it. */
  classifyMismatch(): MismatchCause {
    this.#getCurrentBucket().mismatched += 1;
    let acceptedCount = 0;
    let mismatched = 0;
    for (const bucket of this.#buckets) {
      acceptedCount += bucket.accepted;
      mismatched += bucket.mismatched;
    }
    if (acceptedCount === 0) return "settings";
    const percent = (100 * mismatched) / (acceptedCount + mismatched);
    return percent <= DEVICE_MAX_PERCENT ? "device" : "unclear";
  }

  #getCurrentBucket(): TimeBucket {
    const now = this.#elapsed();
    this.#buckets = this.#buckets.filter(({ startedAt }) => now - startedAt < WINDOW_MS);
    const last = this.#buckets.at(-1);
    if (last !== undefined && now - last.startedAt < BUCKET_MS) return last;
    const bucket = { startedAt: now, accepted: 0, mismatched: 0 };
    this.#buckets.push(bucket);
    return bucket;
  }
}
