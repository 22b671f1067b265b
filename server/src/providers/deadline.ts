/** What bounds some work: it is given up when the signal fires, or after so many milliseconds. */
export interface Bounds {
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/**
 * Does work with a signal that fires at its deadline, and returns what came of it. There are thousands of attempts a second:
 * unlike those of `AbortSignal.timeout` and `AbortSignal.any`, neither timer nor signal is left behind for the garbage
 * collector to finalize.
 */
export async function withDeadline<T>(
  { signal, limitMs }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const onLate = (): void => {
    own.abort(new DOMException(`Not done after ${limitMs} ms.`, "TimeoutError"));
  };
  const onAbort = (): void => own.abort(signal.reason);
  const timer = setTimeout(onLate, limitMs).unref();
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
