/** The limits of some work: it is cancelled when the signal fires, or after so many milliseconds. */
export interface Bounds {
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** Work that begins within this part of its limit shares a signal, and so may run longer by this part. */
const SHARED_PART = 1 / 40;

/**
 * Runs work with a signal that fires at its deadline, and returns its result. Thousands of attempts begin each second, so
 * those that begin together share a signal. Unlike `AbortSignal.timeout` and `AbortSignal.any`, this leaves no timer or
 * signal to the garbage collector's finalizers.
 */
export async function withDeadline<T>(
  bounds: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = joinDeadline(bounds);
  try {
    return await work(deadline.signal);
  } finally {
    deadline.leave();
  }
}

/** Deadlines that new work may join, by the caller's signal and the limit. */
const joinable = new WeakMap<AbortSignal, Map<number, Deadline>>();

function joinDeadline({ signal, limitMs }: Bounds): Deadline {
  const byLimit = joinable.get(signal) ?? new Map<number, Deadline>();
  const known = byLimit.get(limitMs);
  if (known?.isOpen === true) return known.join();
  const deadline = new Deadline({ signal, limitMs });
  joinable.set(signal, byLimit.set(limitMs, deadline));
  return deadline.join();
}

/** Fires with the signal of its caller, or when its time is over; ends with its last user. */
class Deadline {
  readonly #own = new AbortController();
  readonly #caller: AbortSignal;
  readonly #opensUntil: number;
  readonly #timer: NodeJS.Timeout;
  #users = 0;
  #isOver = false;

  constructor({ signal, limitMs }: Bounds) {
    const sharedMs = limitMs * SHARED_PART;
    this.#caller = signal;
    this.#opensUntil = performance.now() + sharedMs;
    this.#timer = setTimeout(() => {
      this.#own.abort(new DOMException(`Not done after ${limitMs} ms.`, "TimeoutError"));
    }, limitMs + sharedMs).unref();
    signal.addEventListener("abort", this.#onAbort);
    if (signal.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** True while new work may share it. */
  get isOpen(): boolean {
    return !this.#isOver && performance.now() < this.#opensUntil;
  }

  join(): this {
    this.#users += 1;
    return this;
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#own.abort(this.#caller.reason);
}
