/** An answer counts as recent for this long. */
const LATELY_MS = 60 * 60_000;
/** After so many requests in a row without an answer, a host no longer counts as having answered. */
const SILENCES_BORNE = 3;
const MAX_HOSTS = 5_000;

interface Heard {
  at: number;
  silences: number;
}

/** Remembers which hosts answered recently, with any status. */
export class Answered {
  readonly #elapsed: () => number;
  /** By host, the most recent answer last. */
  readonly #heard = new Map<string, Heard>();

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Records that a host answered a request. */
  note(host: string): void {
    this.#heard.delete(host);
    this.#heard.set(host, { at: this.#elapsed(), silences: 0 });
    if (this.#heard.size <= MAX_HOSTS) return;
    const [oldest] = this.#heard.keys();
    if (oldest !== undefined) this.#heard.delete(oldest);
  }

  /** Records that a host did not answer, or could not be reached. */
  noteSilence(host: string): void {
    const heard = this.#heard.get(host);
    if (heard === undefined) return;
    heard.silences += 1;
    if (heard.silences >= SILENCES_BORNE) this.#heard.delete(host);
  }

  /** Returns whether a host answered lately. */
  has(host: string): boolean {
    const heard = this.#heard.get(host);
    return heard !== undefined && this.#elapsed() - heard.at < LATELY_MS;
  }
}
