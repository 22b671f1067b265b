import { Semaphore } from "#concurrency/semaphore.ts";
import { BULK, type Lane } from "../delivery.ts";

/** A limit of attempts, of which the bulk lane may take only a part. */
export class LaneLimits {
  readonly #all: Semaphore;
  readonly #bulk: Semaphore;

  constructor(count: number, bulkCount: number) {
    this.#all = new Semaphore(count);
    this.#bulk = new Semaphore(bulkCount);
  }

  /** Runs `work` once there is a place for its lane. */
  use<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    return lane === BULK ? this.#bulk.use(() => this.#all.use(work)) : this.#all.use(work);
  }
}
