/** The cause of a mismatch: our settings, this device, or unclear. */
export type MismatchCause = "settings" | "device" | "unclear";

/** The counts of accepted and mismatched messages in `BUCKET_MS`, from `startedAt` of the monotonic clock. */
interface TimeBucket {
  readonly startedAt: number;
  acceptedCount: number;
  mismatchedCount: number;
}

const WINDOW_MS = 5 * 60 * 1000;
const BUCKET_MS = 10 * 1000;
/** The largest share of mismatches that leftover devices of another app can explain. */
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
    this.#getCurrentBucket().acceptedCount += 1;
  }

  /** Counts a mismatch, and returns its cause as the other responses show it. */
  classifyMismatch(): MismatchCause {
    this.#getCurrentBucket().mismatchedCount += 1;
    let acceptedCount = 0;
    let mismatchedCount = 0;
    for (const bucket of this.#buckets) {
      acceptedCount += bucket.acceptedCount;
      mismatchedCount += bucket.mismatchedCount;
    }
    if (acceptedCount === 0) return "settings";
    const percent = (100 * mismatchedCount) / (acceptedCount + mismatchedCount);
    return percent <= DEVICE_MAX_PERCENT ? "device" : "unclear";
  }

  #getCurrentBucket(): TimeBucket {
    const now = this.#elapsed();
    this.#buckets = this.#buckets.filter(({ startedAt }) => now - startedAt < WINDOW_MS);
    const last = this.#buckets.at(-1);
    if (last !== undefined && now - last.startedAt < BUCKET_MS) return last;
    const bucket = { startedAt: now, acceptedCount: 0, mismatchedCount: 0 };
    this.#buckets.push(bucket);
    return bucket;
  }
}
