import { AppError } from "#errors.ts";

/** Limits the rate of requests of each key. */
export interface RateLimiter {
  /**
   * Takes `cost` requests, but never more than the burst, from what `key` may do. Throws `rate_limited` with the wait, and
   * then takes nothing.
   */
  take(key: string, cost: number): void;
}

/** Returns the error of a key that has to wait. */
export function rateExceeded(retryAfterMs: number): AppError {
  const message = "This key sends faster than the server allows. Slow down and try again.";
  return new AppError("rate_limited", message, { retryAfterMs });
}

export interface RateLimitOptions {
  /** Sustained requests per second; 0 switches the limit off. */
  readonly perSecond: number;
  /** Requests that an idle key may send at once. */
  readonly burst: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Keys in memory above which those at rest are forgotten. */
const KEYS_MAX = 100_000;

/** Rounding error allowed in sums of fractional requests. */
const ROUNDING = 1e-6;

/** The use of the burst at a moment of the monotonic clock; it drains at the sustained rate. */
interface Bucket {
  readonly level: number;
  readonly at: number;
}

/**
 * Limits the rate of requests of each key at this process, by the generic cell rate algorithm as a leaky bucket
 * (ITU-T I.371). Levels are in requests, since sums of moments with fractions lose precision.
 */
export class RateLimit implements RateLimiter {
  readonly #options: RateLimitOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  take(key: string, cost: number): void {
    const { perSecond, burst, elapsed } = this.#options;
    if (perSecond === 0) return;
    const at = elapsed();
    const level = this.#levelAt(at, this.#buckets.get(key)) + Math.min(cost, burst);
    const excess = level - burst;
    if (excess > ROUNDING) throw rateExceeded((excess * 1_000) / perSecond);
    this.#buckets.delete(key);
    this.#buckets.set(key, { level, at });
    if (this.#buckets.size > KEYS_MAX) this.#forgetRested(at);
  }

  #levelAt(at: number, bucket: Bucket | undefined): number {
    if (bucket === undefined) return 0;
    const drained = ((at - bucket.at) * this.#options.perSecond) / 1_000;
    return Math.max(0, bucket.level - drained);
  }

  #forgetRested(at: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#levelAt(at, bucket) === 0) this.#buckets.delete(key);
    }
  }
}
