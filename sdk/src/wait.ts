/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Returns a random delay. Its bound doubles with every failure: `baseMs`, 2 × `baseMs` … `limitMs`. */
export function backoffMs(failures: number, { baseMs, limitMs }: Backoff): number {
  return Math.random() * Math.min(limitMs, baseMs * 2 ** failures);
}

/** The bounds of an exponential backoff. */
export interface Backoff {
  readonly baseMs: number;
  readonly limitMs: number;
}
