/** The limits of some work: it is cancelled when the signal aborts or after `limitMs`. */
export interface Bounds {
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** Work that starts within this fraction of the limit shares a signal, and may run longer by the same fraction. */
const SHARED_FRACTION = 1 / 40;

/**
 * Runs work with a signal that aborts at the deadline, and returns the result. Thousands of attempts start each second, so
 * attempts that start together share a signal. Unlike `AbortSignal.timeout` and `AbortSignal.any`, this leaves no timer or
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

/** Deadlines that new work can join, by the caller's signal and the limit. */
const joinable = new WeakMap<AbortSignal, Map<number, Deadline>>();

function joinDeadline({ signal, limitMs }: Bounds): Deadline {
  const byLimit = joinable.get(signal) ?? new Map<number, Deadline>();
  const existing = byLimit.get(limitMs);
  if (existing?.isJoinable === true) return existing.join();
  const deadline = new Deadline({ signal, limitMs });
  joinable.set(signal, byLimit.set(limitMs, deadline));
  return deadline.join();
}

/** Aborts with the caller's signal or when the time is up; ends when its last user leaves. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal;
  readonly #joinableUntil: number;
  readonly #timer: NodeJS.Timeout;
  #users = 0;
  #hasEnded = false;

  constructor({ signal, limitMs }: Bounds) {
    const sharedMs = limitMs * SHARED_FRACTION;
    this.#callerSignal = signal;
    this.#joinableUntil = performance.now() + sharedMs;
    this.#timer = setTimeout(() => {
      this.#controller.abort(new DOMException(`Not done after ${limitMs} ms.`, "TimeoutError"));
    }, limitMs + sharedMs).unref();
    signal.addEventListener("abort", this.#onAbort);
    if (signal.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True while new work can join. */
  get isJoinable(): boolean {
    return !this.#hasEnded && performance.now() < this.#joinableUntil;
  }

  join(): this {
    this.#users += 1;
    return this;
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#callerSignal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#callerSignal.reason);
}
