import { AppError } from "#errors.ts";

/** Limits the rate of requests of each key. */
export interface RateLimiter {
  /**
   * Counts `cost` requests of `key`, at most as many as the burst. If they exceed the limit, throws `rate_limited`
   * with the delay and counts nothing.
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
  /** The number of requests that an idle key may send in a burst. */
  readonly burst: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** The number of keys in memory above which idle ones are deleted. */
const KEYS_MAX = 100_000;

/** Rounding error allowed in sums of fractional requests. */
const ROUNDING = 1e-6;

/** The used part of the burst at a time of the monotonic clock. It drains at the sustained rate. */
interface Bucket {
  readonly level: number;
  readonly at: number;
}

/**
 * Limits the rate of requests of each key in this process, with the generic cell rate algorithm as a leaky bucket
 * (ITU-T I.371). Levels are in requests, because sums of fractional timestamps lose precision.
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
    if (this.#buckets.size > KEYS_MAX) this.#deleteIdle(at);
  }

  #levelAt(at: number, bucket: Bucket | undefined): number {
    if (bucket === undefined) return 0;
    const drained = ((at - bucket.at) * this.#options.perSecond) / 1_000;
    return Math.max(0, bucket.level - drained);
  }

  #deleteIdle(at: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#levelAt(at, bucket) === 0) this.#buckets.delete(key);
    }
  }
}
