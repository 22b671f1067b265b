import { Slots } from "./slots.ts";

/** Chunks whose devices are read and wait for their turn; more would only fill the memory. */
const CHUNKS_MAX = 8;

/** Lets messages to very many go so that nobody else notices: few chunks at once, and one attempt begun after the other. */
export class Crowd {
  readonly #chunks = new Slots(CHUNKS_MAX);
  readonly #waiting: (() => void)[] = [];
  #isTurning = false;

  /** Resolves once a chunk may be read, with what gives its place to the next: when all its attempts have begun. */
  async enter(): Promise<() => void> {
    return this.#chunks.enter();
  }

  /**
   * Resolves when one more attempt may begin: in each turn of the event loop one. Beginning costs time of the processor, and
   * whoever sends to a few devices waits for several turns.
   */
  async turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (!this.#isTurning) this.#letOneGo();
    return promise;
  }

  #letOneGo(): void {
    this.#isTurning = true;
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#letOneGo();
      else this.#isTurning = false;
    });
  }
}
