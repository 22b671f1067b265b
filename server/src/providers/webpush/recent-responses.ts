import { RecentMap } from "#concurrency/recent-map.ts";

/** The time for which a response counts as recent. */
const RECENT_MS = 60 * 60_000;
/** After this many consecutive requests without a response, a host no longer counts as responding. */
const UNANSWERED_MAX = 3;
const HOSTS_MAX = 5_000;

/** The last response of a host, at a time of the monotonic clock. */
interface LastResponse {
  respondedAt: number;
  unansweredCount: number;
}

/** Tracks the hosts that responded recently, with any status. */
export class RecentResponses {
  readonly #elapsed: () => number;
  readonly #responses = new RecentMap<string, LastResponse>(HOSTS_MAX);

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Records that a host responded to a request. */
  record(host: string): void {
    this.#responses.set(host, { respondedAt: this.#elapsed(), unansweredCount: 0 });
  }

  /** Records that a host did not respond, or could not be reached. */
  recordUnanswered(host: string): void {
    const lastResponse = this.#responses.get(host);
    if (lastResponse === undefined) return;
    lastResponse.unansweredCount += 1;
    if (lastResponse.unansweredCount >= UNANSWERED_MAX) this.#responses.delete(host);
  }

  /** Returns whether a host responded recently. */
  hasResponded(host: string): boolean {
    const lastResponse = this.#responses.get(host);
    return lastResponse !== undefined && this.#elapsed() - lastResponse.respondedAt < RECENT_MS;
  }
}
