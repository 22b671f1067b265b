import { AppError } from "#errors.ts";

export interface RateLimitOptions {
  /** Requests a second in the long run; 0 switches the limit off. */
  readonly perSecond: number;
  /** Requests that may come at once after a rest. */
  readonly burst: number;
  readonly now: () => number;
}

/** Keys that have rested are forgotten when there are more than this. */
const KEYS_MAX = 100_000;

/**
 * Limits how often each key may ask, by the generic cell rate algorithm (ITU-T I.371): one number a key,
 * the moment up to which its requests are paid for.
 */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #paidUntil = new Map<string, number>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** Takes `cost` requests from what `key` may do; throws `rate_limited` with the wait, and takes nothing. */
  take(key: string, cost: number): void {
    const { perSecond, burst, now } = this.#options;
    if (perSecond === 0) return;
    const at = now();
    const intervalMs = 1_000 / perSecond;
    const paidUntil = Math.max(this.#paidUntil.get(key) ?? at, at) + cost * intervalMs;
    const waitMs = paidUntil - at - burst * intervalMs;
    if (waitMs > 0) {
      const message = "This key sends faster than the server allows. Slow down and try again.";
      throw new AppError("rate_limited", message, { retryAfterMs: waitMs });
    }
    this.#paidUntil.delete(key);
    this.#paidUntil.set(key, paidUntil);
    if (this.#paidUntil.size > KEYS_MAX) this.#forgetRested(at);
  }

  #forgetRested(at: number): void {
    for (const [key, paidUntil] of this.#paidUntil) {
      if (paidUntil <= at) this.#paidUntil.delete(key);
    }
  }
}
