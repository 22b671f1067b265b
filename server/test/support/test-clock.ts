/** A clock that only the test advances. */
export class TestClock {
  #now: number;
  #elapsedMs = 0;

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  /** The corresponding monotonic clock. */
  readonly elapsed = (): number => this.#elapsedMs;

  /** Advances both clocks. A negative value sets back only the wall clock. */
  advance(ms: number): void {
    this.#now += ms;
    this.#elapsedMs += Math.max(0, ms);
  }
}

/** Returns a monotonic clock that follows a wall clock, but does not go back with it. */
export function createMonotonicClock(now: () => number): () => number {
  let lastAt = now();
  let elapsedMs = 0;
  return () => {
    const at = now();
    elapsedMs += Math.max(0, at - lastAt);
    lastAt = at;
    return elapsedMs;
  };
}
