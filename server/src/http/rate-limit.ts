import { AppError } from "#errors.ts";

/** Limits the request rate of each key. */
export interface RateLimiter {
  /**
   * Takes `cost` requests, at most the burst, from the allowance of `key`; throws `rate_limited` with the wait, and
   * takes nothing.
   */
  take(key: string, cost: number): void;
}

export interface RateLimitOptions {
  /** Sustained requests per second; 0 switches the limit off. */
  readonly perSecond: number;
  /** Requests that an idle key may send at once. */
  readonly burst: number;
  readonly now: () => number;
}

/** Above this number of keys, idle ones are forgotten. */
const KEYS_MAX = 100_000;

/** Tolerance for the rounding of summed fractions of requests. */
const ROUNDING = 1e-6;

/** The used part of the burst at a moment; it drains at the sustained rate. */
interface Bucket {
  readonly level: number;
  readonly at: number;
}

/**
 * Limits the request rate of each key in this process, by the generic cell rate algorithm as a leaky bucket (ITU-T
 * I.371). Levels are in requests: sums of fractional milliseconds since the epoch are too coarse for a burst.
 */
export class RateLimit implements RateLimiter {
  readonly #options: RateLimitOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  take(key: string, cost: number): void {
    const { perSecond, burst, now } = this.#options;
    if (perSecond === 0) return;
    const at = now();
    const level = this.#levelAt(at, this.#buckets.get(key)) + Math.min(cost, burst);
    const excess = level - burst;
    if (excess > ROUNDING) {
      const message = "This key sends faster than the server allows. Slow down and try again.";
      throw new AppError("rate_limited", message, { retryAfterMs: (excess * 1_000) / perSecond });
    }
    this.#buckets.delete(key);
    this.#buckets.set(key, { level, at });
    if (this.#buckets.size > KEYS_MAX) this.#forgetRested(at);
  }

  /** If the clock was set back, nothing drains and nothing is blocked. */
  #levelAt(at: number, bucket: Bucket | undefined): number {
    if (bucket === undefined) return 0;
    const drained = (Math.max(0, at - bucket.at) * this.#options.perSecond) / 1_000;
    return Math.max(0, bucket.level - drained);
  }

  #forgetRested(at: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#levelAt(at, bucket) === 0) this.#buckets.delete(key);
    }
  }
}
