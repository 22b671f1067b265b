import { AppError } from "#errors.ts";

/** Limits how often each key may ask. */
export interface RateLimiter {
  /**
   * Takes `cost` requests, but never more than the burst, from what `key` may do; throws `rate_limited` with the
   * wait, and takes nothing.
   */
  take(key: string, cost: number): void;
}

export interface RateLimitOptions {
  /** Requests a second in the long run; 0 switches the limit off. */
  readonly perSecond: number;
  /** Requests that may come at once after a rest. */
  readonly burst: number;
  readonly now: () => number;
}

/** Keys that have rested are forgotten when there are more than this. */
const KEYS_MAX = 100_000;

/** What adding parts of requests may be wrong by. */
const ROUNDING = 1e-6;

/** How much of the burst was used at a moment; it drains at the sustained rate. */
interface Bucket {
  readonly level: number;
  readonly at: number;
}

/**
 * Limits how often each key may ask of this process, by the generic cell rate algorithm as a leaky bucket (ITU-T I.371): levels
 * are in requests, since sums of fractions of milliseconds since the epoch lose what a burst is made of.
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

  /** A clock that went back drains nothing, and blocks nobody. */
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
