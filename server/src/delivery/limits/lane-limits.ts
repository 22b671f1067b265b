import { Semaphore } from "#concurrency/semaphore.ts";
import { BULK_LANE, type Lane } from "../delivery.ts";

/** A limit of concurrent attempts. The bulk lane may use only a part of it. */
export class LaneLimits {
  readonly #all: Semaphore;
  readonly #bulk: Semaphore;

  constructor(limit: number, bulkLimit: number) {
    this.#all = new Semaphore(limit);
    this.#bulk = new Semaphore(bulkLimit);
  }

  /** Runs `work` once its lane has a free permit. */
  run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    return lane === BULK_LANE ? this.#bulk.use(() => this.#all.use(work)) : this.#all.use(work);
  }
}
