export interface RateShapeSettings {
  readonly perSecond: number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** What a pause saves up for the next burst. */
const BURST_MS = 1_000;

/**
 * Lets requests go at a steady rate: a token bucket that holds one second's worth, kept as the moment at which it will
 * be full again (the generic cell rate algorithm, ITU-T I.371).
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

  /** Resolves with true when one request may go, with false where the signal fires first. */
  async enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const waitMs = this.#take();
    if (waitMs <= 0) return true;
    if (await isOver(waitMs, signal)) return true;
    this.#fullAt -= this.#intervalMs;
    return false;
  }

  /** Takes one place and returns how long it is until then. */
  #take(): number {
    const now = this.#elapsed();
    this.#fullAt = Math.max(this.#fullAt, now) + this.#intervalMs;
    return this.#fullAt - now - BURST_MS;
  }
}

/** Resolves with true after a wait, or with false where the signal fires first. */
async function isOver(ms: number, signal: AbortSignal): Promise<boolean> {
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
