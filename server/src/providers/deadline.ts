/** The bounds of some work: it is aborted when the signal aborts or after `timeoutMs`. */
export interface Bounds {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A deadline that work has joined. */
export interface JoinedDeadline {
  /** Aborts at the deadline, or with the caller's signal. */
  readonly signal: AbortSignal;
  /** Ends the use of the signal. Called once, at the end of the work. */
  leave(): void;
}

/**
 * Work items that start within this fraction of the timeout share a signal, and may run longer by the same fraction.
 */
const JOIN_FRACTION = 1 / 40;

/** Runs work with a signal that aborts at the deadline, or with the caller's signal, and returns the result. */
export async function runWithDeadline<T>(
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

/** Deadlines that new work can join, by the caller's signal and the timeout. */
const joinableDeadlines = new WeakMap<AbortSignal, Map<number, Deadline>>();

/**
 * Returns the deadline of work that begins now. Thousands of attempts start each second, so attempts that start
 * together share a signal. Unlike `AbortSignal.timeout` and `AbortSignal.any`, a shared deadline leaves no timer or
 * signal to the garbage collector's finalizers.
 */
export function joinDeadline({ signal, timeoutMs }: Bounds): JoinedDeadline {
  const byTimeout = joinableDeadlines.get(signal) ?? new Map<number, Deadline>();
  const existing = byTimeout.get(timeoutMs);
  if (existing?.isJoinable === true) return existing.join();
  const deadline = new Deadline({ signal, timeoutMs });
  joinableDeadlines.set(signal, byTimeout.set(timeoutMs, deadline));
  return deadline.join();
}

/** Aborts with the caller's signal or when the time is up; ends when its last user leaves. */
class Deadline implements JoinedDeadline {
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal;
  readonly #joinableUntil: number;
  readonly #timer: NodeJS.Timeout;
  #userCount = 0;
  #hasEnded = false;

  constructor({ signal, timeoutMs }: Bounds) {
    const joinMs = timeoutMs * JOIN_FRACTION;
    this.#callerSignal = signal;
    this.#joinableUntil = performance.now() + joinMs;
    this.#timer = setTimeout(() => {
      this.#controller.abort(new DOMException(`Timed out after ${timeoutMs} ms.`, "TimeoutError"));
    }, timeoutMs + joinMs).unref();
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
    this.#userCount += 1;
    return this;
  }

  leave(): void {
    this.#userCount -= 1;
    if (this.#userCount > 0) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#callerSignal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#callerSignal.reason);
}
