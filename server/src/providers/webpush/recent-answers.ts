import { RecentMap } from "#concurrency/recent-map.ts";

/** An answer counts as recent for this long. */
const RECENT_MS = 60 * 60_000;
/** After this many consecutive requests without an answer, a host no longer counts as answering. */
const UNANSWERED_MAX = 3;
const HOSTS_MAX = 5_000;

interface LastAnswer {
  at: number;
  unanswered: number;
}

/** Tracks the hosts that answered recently, with any status. */
export class RecentAnswers {
  readonly #elapsed: () => number;
  /** By host. */
  readonly #answers = new RecentMap<string, LastAnswer>(HOSTS_MAX);

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Records that a host answered a request. */
  note(host: string): void {
    this.#answers.set(host, { at: this.#elapsed(), unanswered: 0 });
  }

  /** Records that a host did not answer, or could not be reached. */
  noteUnanswered(host: string): void {
    const last = this.#answers.get(host);
    if (last === undefined) return;
    last.unanswered += 1;
    if (last.unanswered >= UNANSWERED_MAX) this.#answers.delete(host);
  }

  /** Returns whether a host answered recently. */
  has(host: string): boolean {
    const last = this.#answers.get(host);
    return last !== undefined && this.#elapsed() - last.at < RECENT_MS;
  }
}
