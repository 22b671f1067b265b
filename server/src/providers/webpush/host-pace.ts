interface Throttle {
  readonly windowStartedAt: number;
  readonly answers: number;
  readonly slowUntil: number;
}

const WINDOW_MS = 60_000;
/** One endpoint asks for patience for itself; more than this many in a minute speak for their whole host. */
const ANSWERS_BORNE = 10;
const PLACES = 20;
/** Slowed, not stopped: the busy devices of one account must not silence everyone else's. */
const PLACES_WHEN_SLOW = 4;
const MAX_HOSTS = 1_000;

/** Slows down towards a host whose endpoints say "too many requests" too often. */
export class HostPace {
  readonly #now: () => number;
  readonly #throttles = new Map<string, Throttle>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records that an endpoint of the host asked us to slow down. */
  note(host: string): void {
    const now = this.#now();
    const held = this.#throttleOf(host, now);
    const isSameWindow = held !== undefined && now - held.windowStartedAt < WINDOW_MS;
    const answers = isSameWindow ? held.answers + 1 : 1;
    this.#throttles.delete(host);
    this.#throttles.set(host, {
      windowStartedAt: isSameWindow ? held.windowStartedAt : now,
      answers,
      slowUntil: answers > ANSWERS_BORNE ? now + WINDOW_MS : (held?.slowUntil ?? 0),
    });
    for (const oldest of this.#throttles.keys()) {
      if (this.#throttles.size <= MAX_HOSTS) return;
      this.#throttles.delete(oldest);
    }
  }

  /** Returns how many requests the host may have at once. */
  placesAt(host: string): number {
    const now = this.#now();
    const slowUntil = this.#throttleOf(host, now)?.slowUntil ?? 0;
    return now < slowUntil ? PLACES_WHEN_SLOW : PLACES;
  }

  /** A window of the future is from before the clock was set back, and so is what it led to. */
  #throttleOf(host: string, now: number): Throttle | undefined {
    const held = this.#throttles.get(host);
    return held === undefined || held.windowStartedAt > now ? undefined : held;
  }
}
