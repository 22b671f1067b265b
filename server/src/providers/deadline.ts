/** What bounds some work: it is given up when the signal fires, or after so many milliseconds. */
export interface Bounds {
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/**
 * Does work with a signal that fires at its deadline, and returns what came of it. Unlike that of `AbortSignal.timeout`,
 * the timer ends with the work: there are thousands of attempts a second, and each would leave one behind.
 */
export async function withDeadline<T>(
  { signal, limitMs }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const onLate = (): void => {
    late.abort(new DOMException(`Not done after ${limitMs} ms.`, "TimeoutError"));
  };
  const timer = setTimeout(onLate, limitMs).unref();
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
