import { RecentMap } from "#concurrency/recent-map.ts";

/** Moments by the monotonic clock. */
interface Throttle {
  readonly windowStartedAt: number;
  readonly answers: number;
  readonly slowUntil: number;
}

const WINDOW_MS = 60_000;
/** A throttled answer concerns one endpoint; more than this many in a minute concern the whole host. */
const ANSWERS_MAX = 10;
const LIMIT = 20;
/** Slowed and not stopped: the busy devices of one account must not block those of all others. */
const LIMIT_WHEN_SLOW = 4;
const MAX_HOSTS = 1_000;

/** Lowers the limit of a host whose endpoints answer "too many requests" too often. */
export class HostPace {
  readonly #elapsed: () => number;
  readonly #throttles = new RecentMap<string, Throttle>(MAX_HOSTS);

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Records that an endpoint of the host asked us to slow down. */
  note(host: string): void {
    const now = this.#elapsed();
    const held = this.#throttles.get(host);
    const isSameWindow = held !== undefined && now - held.windowStartedAt < WINDOW_MS;
    const answers = isSameWindow ? held.answers + 1 : 1;
    this.#throttles.set(host, {
      windowStartedAt: isSameWindow ? held.windowStartedAt : now,
      answers,
      slowUntil:
        answers > ANSWERS_MAX ? now + WINDOW_MS : (held?.slowUntil ?? Number.NEGATIVE_INFINITY),
    });
  }

  /** Returns the limit of concurrent requests to the host. */
  limitAt(host: string): number {
    const slowUntil = this.#throttles.get(host)?.slowUntil ?? Number.NEGATIVE_INFINITY;
    return this.#elapsed() < slowUntil ? LIMIT_WHEN_SLOW : LIMIT;
  }
}
