import { Semaphore, type Release } from "#concurrency/semaphore.ts";
import { BULK_LANE, type Lane } from "../delivery.ts";

/** A limit of concurrent attempts. The bulk lane may use only a part of it. */
export class LaneLimits {
  readonly #all: Semaphore;
  readonly #bulk: Semaphore;

  constructor(limit: number, bulkLimit: number) {
    this.#all = new Semaphore(limit);
    this.#bulk = new Semaphore(bulkLimit);
  }

  /** Resolves once the lane has a free permit, with the function that releases it. */
  async acquire(lane: Lane): Promise<Release> {
    if (lane !== BULK_LANE) return this.#all.tryAcquire() ?? this.#all.acquire();
    const releaseBulk = this.#bulk.tryAcquire() ?? (await this.#bulk.acquire());
    const releaseAll = this.#all.tryAcquire() ?? (await this.#all.acquire());
    return () => {
      releaseAll();
      releaseBulk();
    };
  }
}
