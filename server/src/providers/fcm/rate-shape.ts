export interface RateShapeSettings {
  readonly perSecond: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** The duration of sending that a pause allows as one burst. */
const BURST_MS = 1_000;

/**
 * Limits the rate of requests: a token bucket of one second's requests, kept as the time at which it will be full again (the
 * generic cell rate algorithm, ITU-T I.371).
 */
export class RateShape {
  readonly #intervalMs: number;
  readonly #elapsed: () => number;
  #fullAt: number;

  constructor({ perSecond, elapsed }: RateShapeSettings) {
    this.#intervalMs = 1_000 / perSecond;
    this.#elapsed = elapsed;
    this.#fullAt = elapsed();
  }

  /** Resolves with true when the request may go, or with false if the signal fires first. */
  async enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const waitMs = this.#takeToken();
    if (waitMs <= 0) return true;
    if (await waitUnlessAborted(waitMs, signal)) return true;
    this.#fullAt -= this.#intervalMs;
    return false;
  }

  /** Takes one token and returns how long the request must wait. */
  #takeToken(): number {
    const now = this.#elapsed();
    this.#fullAt = Math.max(this.#fullAt, now) + this.#intervalMs;
    return this.#fullAt - now - BURST_MS;
  }
}

/** Resolves with true after a wait, or with false if the signal fires first. */
async function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const giveUp = (): void => resolve(false);
  const timer = setTimeout(() => resolve(true), Math.ceil(ms));
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}
