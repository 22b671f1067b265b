import { Semaphore } from "#concurrency/semaphore.ts";

/** Chunks whose devices are read and wait for their turn; more would only fill the memory. */
const CHUNKS_MAX = 2;

/** For so long after a step of others, … */
const GIVE_WAY_MS = 20;
/** … one attempt begins this often: they have the processor nearly for themselves, and the crowd still gets on. */
const PACE_MS = 4;

/** Attempts begin in one turn of the event loop as long as a turn, with all that it holds, takes no longer: others wait for it. */
const TURN_MAX_MS = 2;
const AT_ONCE_MAX = 32;

/** Lets messages to very many go so that nobody else notices: few chunks at once, and few attempts begun together. */
export class BulkPacer {
  readonly #chunks = new Semaphore(CHUNKS_MAX);
  readonly #waiting: (() => void)[] = [];
  #isTurning = false;
  /** So many begin in the next turn: one more than in one that was short, half of those of one that was long. */
  #atOnce = 1;
  #turnedAt = Number.NEGATIVE_INFINITY;
  #givesWayUntil = Number.NEGATIVE_INFINITY;
  readonly #elapsed: () => number;

  /** `elapsed` counts milliseconds from any moment on, and never jumps. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Resolves once a chunk may be read, with what gives its place to the next: when its attempts have begun. */
  async enter(): Promise<() => void> {
    return this.#chunks.acquire();
  }

  /**
   * Resolves when one more attempt may begin: as many in each turn of the event loop as the turn stays short, and one in a while
   * when others send. What begins together is written together, which costs a fraction.
   */
  async turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (!this.#isTurning) this.#letSomeGo();
    return promise;
  }

  /** Told of each step of what is sent to few: of a request, and of an attempt. */
  giveWay(): void {
    this.#givesWayUntil = this.#elapsed() + GIVE_WAY_MS;
  }

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
    // Where fewer wait, the turn says nothing about more.
    else if (this.#waiting.length >= this.#atOnce)
      this.#atOnce = Math.min(AT_ONCE_MAX, this.#atOnce + 1);
    return this.#atOnce;
  }
}
