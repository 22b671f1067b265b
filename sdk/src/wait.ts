/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Returns a random delay. Its bound doubles with every failure: `baseMs`, 2 × `baseMs` … `maxMs`. */
export function getRandomBackoffMs(
  failureCount: number,
  { baseMs, maxMs }: BackoffOptions,
): number {
  return Math.random() * Math.min(maxMs, baseMs * 2 ** failureCount);
}

/** The first and the longest delay bound of an exponential backoff. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}
