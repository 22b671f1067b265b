/** The limit of a rate shaper, and its clock. */
export interface RateShaperDeps {
  readonly perSecond: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** The maximum burst, as the time in which it would be sent at the steady rate. */
const BURST_MS = 1_000;

/**
 * Limits the rate of requests: a token bucket of one second's requests. The only state is the time at which the bucket
 * will be full again (the generic cell rate algorithm, ITU-T I.371).
 */
export class RateShaper {
  readonly #intervalMs: number;
  readonly #elapsed: () => number;
  #fullAt: number;

  constructor({ perSecond, elapsed }: RateShaperDeps) {
    this.#intervalMs = 1_000 / perSecond;
    this.#elapsed = elapsed;
    this.#fullAt = elapsed();
  }

  /** Resolves with true when the request may be sent, or with false if the signal aborts first. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const waitMs = this.#takeToken();
    if (waitMs <= 0) return true;
    if (await waitUnlessAborted(waitMs, signal)) return true;
    this.#fullAt -= this.#intervalMs;
    return false;
  }

  /** Takes one token, and returns the time that the request must wait. */
  #takeToken(): number {
    const now = this.#elapsed();
    this.#fullAt = Math.max(this.#fullAt, now) + this.#intervalMs;
    return this.#fullAt - now - BURST_MS;
  }
}

/** Resolves with true after a wait, or with false if the signal aborts first. */
async function waitUnlessAborted(waitMs: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onAbort = (): void => resolve(false);
  const timer = setTimeout(() => resolve(true), Math.ceil(waitMs));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
