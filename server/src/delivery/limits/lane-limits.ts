import { Semaphore } from "#concurrency/semaphore.ts";
import { BULK, type Lane } from "../delivery.ts";

/** A limit of concurrent attempts. The bulk lane may use only a part of it. */
export class LaneLimits {
  readonly #all: Semaphore;
  readonly #bulk: Semaphore;

  constructor(count: number, bulkCount: number) {
    this.#all = new Semaphore(count);
    this.#bulk = new Semaphore(bulkCount);
  }

  /** Runs `work` once its lane has a free permit. */
  use<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    return lane === BULK ? this.#bulk.use(() => this.#all.use(work)) : this.#all.use(work);
  }
}
