import { Semaphore } from "#concurrency/semaphore.ts";

/** Most chunks whose devices are in memory before their attempts begin. */
const CHUNKS_MAX = 2;

/** For this time after a step of an interactive or normal send, … */
const GIVE_WAY_MS = 20;
/** … one bulk attempt begins at this interval: the other sends have nearly the whole processor, and bulk goes on. */
const PACE_MS = 4;

/** Longest turn of the event loop before fewer attempts begin in one: everything else waits for its end. */
const TURN_MAX_MS = 2;
const AT_ONCE_MAX = 32;

/** Paces bulk sends so that other sends are not slowed: few chunks at once, and few attempts begun together. */
export class BulkPacer {
  readonly #chunks = new Semaphore(CHUNKS_MAX);
  readonly #waiting: (() => void)[] = [];
  #isTurning = false;
  /** Attempts that begin in the next turn: one more after a short turn, half as many after a long one. */
  #atOnce = 1;
  #turnedAt = Number.NEGATIVE_INFINITY;
  #givesWayUntil = Number.NEGATIVE_INFINITY;
  readonly #elapsed: () => number;

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Resolves once a chunk may be read, with the function that admits the next one: called once its attempts have begun. */
  async enter(): Promise<() => void> {
    return this.#chunks.acquire();
  }

  /**
   * Resolves when one more attempt may begin: as many in each turn of the event loop as keep it short, and one at an interval
   * while other sends go on. Attempts that begin together are written to the socket together, which costs a fraction.
   */
  async turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (!this.#isTurning) this.#letSomeGo();
    return promise;
  }

  /** Notes a step of another send: a request, or an attempt. */
  readonly giveWay = (): void => {
    this.#givesWayUntil = this.#elapsed() + GIVE_WAY_MS;
  };

  #letSomeGo(): void {
    this.#isTurning = true;
    const go = () => {
      for (const resolve of this.#waiting.splice(0, this.#countNow())) resolve();
      if (this.#waiting.length > 0) this.#letSomeGo();
      else this.#isTurning = false;
    };
    if (this.#elapsed() < this.#givesWayUntil) setTimeout(go, PACE_MS);
    else setImmediate(go);
  }

  #countNow(): number {
    const now = this.#elapsed();
    const isLong = now - this.#turnedAt > TURN_MAX_MS;
    this.#turnedAt = now;
    if (now < this.#givesWayUntil) this.#atOnce = 1;
    else if (isLong) this.#atOnce = Math.ceil(this.#atOnce / 2);
    // A turn with fewer attempts than allowed says nothing about more.
    else if (this.#waiting.length >= this.#atOnce)
      this.#atOnce = Math.min(AT_ONCE_MAX, this.#atOnce + 1);
    return this.#atOnce;
  }
}
