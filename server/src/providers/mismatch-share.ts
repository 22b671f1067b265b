/** The cause of a mismatch: our settings, this device, or unclear. */
export type MismatchVerdict = "settings" | "device" | "unclear";

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
 * Distinguishes a device of another app from a server that is configured for another app. A push service gives both the same
 * answer: the device belongs to another sender. Its answers about other devices in the last five minutes show which it is.
 */
export class MismatchShare {
  readonly #elapsed: () => number;
  #buckets: TimeBucket[] = [];

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Counts a message that the push service accepted. */
  noteAccepted(): void {
    this.#currentBucket().accepted += 1;
  }

  /** Counts a mismatch and returns its cause, given the other answers. */
  judgeMismatch(): MismatchVerdict {
    this.#currentBucket().mismatched += 1;
    let accepted = 0;
    let mismatched = 0;
    for (const bucket of this.#buckets) {
      accepted += bucket.accepted;
      mismatched += bucket.mismatched;
    }
    if (accepted === 0) return "settings";
    const percent = (100 * mismatched) / (accepted + mismatched);
    return percent <= DEVICE_MAX_PERCENT ? "device" : "unclear";
  }

  #currentBucket(): TimeBucket {
    const now = this.#elapsed();
    this.#buckets = this.#buckets.filter(({ startedAt }) => now - startedAt < WINDOW_MS);
    const last = this.#buckets.at(-1);
    if (last !== undefined && now - last.startedAt < BUCKET_MS) return last;
    const bucket = { startedAt: now, accepted: 0, mismatched: 0 };
    this.#buckets.push(bucket);
    return bucket;
  }
}
