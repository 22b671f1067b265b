import { AppError } from "#errors.ts";

/** Limits the rate of requests of each key. */
export interface RateLimiter {
  /**
   * Counts `cost` requests of `key`, or as many as the burst if that is less. Throws `rate_limited` with the delay, and
   * counts nothing, if they exceed the limit.
   */
  take(key: string, cost: number): void;
  /** Returns how much of its rate a key may still use; null without a limit. */
  describe(key: string): RemainingRate | null;
}

/** The part of its rate that a key may still use. */
export interface RemainingRate {
  readonly burst: number;
  /** The number of requests that the key may send at once now. */
  readonly remaining: number;
  /** The time until the key may send a full burst again, in milliseconds. */
  readonly fullInMs: number;
}

/** Returns the `rate_limited` error for a key that must wait. */
export function createRateLimitError(retryAfterMs: number): AppError {
  const message = "This key sends faster than the server allows. Slow down and try again.";
  return new AppError("rate_limited", message, { retryAfterMs });
}

/** The rate that each key may send at, and the clock that measures it. */
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

/** The rounding error that sums of fractional requests may have. */
const ROUNDING_TOLERANCE = 1e-6;

/** The used part of a key's burst, at a time of the monotonic clock. It drains at the sustained rate. */
interface Bucket {
  readonly level: number;
  readonly updatedAt: number;
}

/**
 * Limits the rate of requests of each key in this process, with the generic cell rate algorithm as a leaky bucket
 * (ITU-T I.371). Levels are in requests, because sums of fractional timestamps lose precision.
 */
export class LocalRateLimiter implements RateLimiter {
  readonly #options: RateLimitOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  take(key: string, cost: number): void {
    const { perSecond, burst, elapsed } = this.#options;
    if (perSecond === 0) return;
    const now = elapsed();
    const level = this.#getLevel(now, this.#buckets.get(key)) + Math.min(cost, burst);
    const excess = level - burst;
    if (excess > ROUNDING_TOLERANCE) throw createRateLimitError((excess * 1_000) / perSecond);
    this.#buckets.delete(key);
    this.#buckets.set(key, { level, updatedAt: now });
    if (this.#buckets.size > KEYS_MAX) this.#deleteIdle(now);
  }

  describe(key: string): RemainingRate | null {
    const { perSecond, burst, elapsed } = this.#options;
    if (perSecond === 0) return null;
    const level = this.#getLevel(elapsed(), this.#buckets.get(key));
    const remaining = Math.max(0, Math.floor(burst - level + ROUNDING_TOLERANCE));
    return { burst, remaining, fullInMs: (level * 1_000) / perSecond };
  }

  #getLevel(now: number, bucket: Bucket | undefined): number {
    if (bucket === undefined) return 0;
    const drained = ((now - bucket.updatedAt) * this.#options.perSecond) / 1_000;
    return Math.max(0, bucket.level - drained);
  }

  #deleteIdle(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#getLevel(now, bucket) === 0) this.#buckets.delete(key);
    }
  }
}
