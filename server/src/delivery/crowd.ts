import { Slots } from "./slots.ts";

/** Chunks whose devices are read and wait for their turn; more would only fill the memory. */
const CHUNKS_MAX = 2;

/** For so long after a step of others, … */
const GIVE_WAY_MS = 20;
/** … one attempt begins this often: they have the processor nearly for themselves, and the crowd still gets on. */
const PACE_MS = 4;

/** Lets messages to very many go so that nobody else notices: few chunks at once, and one attempt begun after the other. */
export class Crowd {
  readonly #chunks = new Slots(CHUNKS_MAX);
  readonly #waiting: (() => void)[] = [];
  #isTurning = false;
  #givesWayUntil = 0;

  /** Resolves once a chunk may be read, with what gives its place to the next: when its attempts have begun. */
  async enter(): Promise<() => void> {
    return this.#chunks.enter();
  }

  /**
   * Resolves when one more attempt may begin: in each turn of the event loop one, and fewer while others send. Beginning
   * costs time of the processor, and whoever sends to a few devices waits for several turns.
   */
  async turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (!this.#isTurning) this.#letOneGo();
    return promise;
  }

  /** Told of each step of what is sent to few: of a request, and of an attempt. */
  giveWay(): void {
    this.#givesWayUntil = performance.now() + GIVE_WAY_MS;
  }

  #letOneGo(): void {
    this.#isTurning = true;
    const go = () => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#letOneGo();
      else this.#isTurning = false;
    };
    if (performance.now() < this.#givesWayUntil) setTimeout(go, PACE_MS);
    else setImmediate(go);
  }
}
