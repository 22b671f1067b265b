import { RecentMap } from "#concurrency/recent-map.ts";

/** The throttled responses of a host. Times are from the monotonic clock. */
interface Throttle {
  readonly windowStartedAt: number;
  readonly throttledCount: number;
  readonly slowUntil: number;
}

const WINDOW_MS = 60_000;
/** A throttled response concerns one endpoint; more than this many in a minute concern the whole host. */
const THROTTLED_RESPONSES_MAX = 10;
const REQUESTS_MAX = 20;
/** A slow host is not stopped: the busy devices of one account must not block the devices of all others. */
const REQUESTS_MAX_WHEN_SLOW = 4;
const HOSTS_MAX = 1_000;

/** Lowers the limit of a host whose endpoints respond with "too many requests" too often. */
export class HostPace {
  readonly #elapsed: () => number;
  readonly #throttles = new RecentMap<string, Throttle>(HOSTS_MAX);

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Records that an endpoint of the host asked us to slow down. */
  recordThrottled(host: string): void {
    const now = this.#elapsed();
    const throttle = this.#throttles.get(host);
    const isSameWindow = throttle !== undefined && now - throttle.windowStartedAt < WINDOW_MS;
    const throttledCount = isSameWindow ? throttle.throttledCount + 1 : 1;
    this.#throttles.set(host, {
      windowStartedAt: isSameWindow ? throttle.windowStartedAt : now,
      throttledCount,
      slowUntil:
        throttledCount > THROTTLED_RESPONSES_MAX
          ? now + WINDOW_MS
          : (throttle?.slowUntil ?? Number.NEGATIVE_INFINITY),
    });
  }

  /** Returns the limit of concurrent requests to the host. */
  getLimit(host: string): number {
    const slowUntil = this.#throttles.get(host)?.slowUntil ?? Number.NEGATIVE_INFINITY;
    return this.#elapsed() < slowUntil ? REQUESTS_MAX_WHEN_SLOW : REQUESTS_MAX;
  }
}
