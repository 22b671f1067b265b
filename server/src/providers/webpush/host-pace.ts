import { RecentMap } from "#concurrency/recent-map.ts";

/** Times are from the monotonic clock. */
interface Throttle {
  readonly windowStartedAt: number;
  readonly answers: number;
  readonly slowUntil: number;
}

const WINDOW_MS = 60_000;
/** A throttled answer concerns one endpoint; more than this many in a minute concern the whole host. */
const THROTTLED_ANSWERS_MAX = 10;
const LIMIT = 20;
/** A slow host is not stopped: the busy devices of one account must not block the devices of all others. */
const LIMIT_WHEN_SLOW = 4;
const HOSTS_MAX = 1_000;

/** Lowers the limit of a host whose endpoints answer "too many requests" too often. */
export class HostPace {
  readonly #elapsed: () => number;
  readonly #throttles = new RecentMap<string, Throttle>(HOSTS_MAX);

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Records that an endpoint of the host asked us to slow down. */
  note(host: string): void {
    const now = this.#elapsed();
    const throttle = this.#throttles.get(host);
    const isSameWindow = throttle !== undefined && now - throttle.windowStartedAt < WINDOW_MS;
    const answers = isSameWindow ? throttle.answers + 1 : 1;
    this.#throttles.set(host, {
      windowStartedAt: isSameWindow ? throttle.windowStartedAt : now,
      answers,
      slowUntil:
        answers > THROTTLED_ANSWERS_MAX
          ? now + WINDOW_MS
          : (throttle?.slowUntil ?? Number.NEGATIVE_INFINITY),
    });
  }

  /** Returns the limit of concurrent requests to the host. */
  limitFor(host: string): number {
    const slowUntil = this.#throttles.get(host)?.slowUntil ?? Number.NEGATIVE_INFINITY;
    return this.#elapsed() < slowUntil ? LIMIT_WHEN_SLOW : LIMIT;
  }
}
