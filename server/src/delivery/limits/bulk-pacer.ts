import { Semaphore } from "#concurrency/semaphore.ts";

/** Maximum number of chunks whose devices are in memory before their attempts begin. */
const CHUNKS_MAX = 2;

/** Time after a step of an interactive or normal send during which bulk is slowed down. */
const SLOW_DOWN_MS = 20;
/**
 * Interval of bulk attempts while bulk is slowed down. Other sends get nearly the whole processor, and bulk still makes
 * progress.
 */
const PACE_MS = 4;

/** Longest turn of the event loop that does not halve the next batch. All other work waits for the end of a turn. */
const TURN_MAX_MS = 2;
/** Maximum number of attempts that begin in one turn. */
const BATCH_SIZE_MAX = 32;

/**
 * Paces bulk sends so that they do not slow other sends. Limits concurrent chunks, and attempts that begin together.
 */
export class BulkPacer {
  readonly #chunks = new Semaphore(CHUNKS_MAX);
  readonly #waiting: (() => void)[] = [];
  #isBatchScheduled = false;
  /** Number of attempts that begin in the next turn: one more after a short turn, half as many after a long one. */
  #batchSize = 1;
  #lastBatchAt = Number.NEGATIVE_INFINITY;
  #slowedUntil = Number.NEGATIVE_INFINITY;
  readonly #elapsed: () => number;

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /**
   * Resolves once a chunk may be read. The caller calls the returned function when the attempts of the chunk have
   * begun, to admit another chunk.
   */
  enterChunk(): Promise<() => void> {
    return this.#chunks.acquire();
  }

  /**
   * Resolves when one more attempt may begin. In each turn of the event loop, as many attempts begin as keep the turn
   * short. While other sends run, one attempt begins every `PACE_MS`. Attempts that begin together are written to the
   * socket together, which costs a fraction of separate writes.
   */
  readonly waitToBegin = (): Promise<void> =>
    new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isBatchScheduled) this.#scheduleBatch();
    });

  /** Slows bulk down for a moment, because of a step of another send, such as a request or an attempt. */
  readonly slowDown = (): void => {
    this.#slowedUntil = this.#elapsed() + SLOW_DOWN_MS;
  };

  #scheduleBatch(): void {
    this.#isBatchScheduled = true;
    const beginBatch = () => {
      for (const resolve of this.#waiting.splice(0, this.#computeBatchSize())) resolve();
      if (this.#waiting.length > 0) this.#scheduleBatch();
      else this.#isBatchScheduled = false;
    };
    if (this.#elapsed() < this.#slowedUntil) setTimeout(beginBatch, PACE_MS);
    else setImmediate(beginBatch);
  }

  #computeBatchSize(): number {
    const now = this.#elapsed();
    const isLong = now - this.#lastBatchAt > TURN_MAX_MS;
    this.#lastBatchAt = now;
    if (now < this.#slowedUntil) this.#batchSize = 1;
    else if (isLong) this.#batchSize = Math.ceil(this.#batchSize / 2);
    // A turn with fewer attempts than allowed does not show that more are possible.
    else if (this.#waiting.length >= this.#batchSize)
      this.#batchSize = Math.min(BATCH_SIZE_MAX, this.#batchSize + 1);
    return this.#batchSize;
  }
}
