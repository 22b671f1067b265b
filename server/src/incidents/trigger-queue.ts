import { retryOnConflict, type ChangeDeps } from "./change.ts";
import { countMergeable, type TriggerBatch } from "./merge-triggers.ts";
import { attemptTrigger, type TriggerOrder, type TriggerResult } from "./trigger.ts";

interface WaitingOrder {
  readonly order: TriggerOrder;
  readonly result: PromiseWithResolvers<TriggerResult>;
}

/**
 * Stores the triggers of each incident one after another. Those that arrive meanwhile share the next change where they
 * can, so that a storm of triggers changes a row only a few times.
 */
export class TriggerQueue {
  readonly #deps: ChangeDeps;
  /** The orders that wait while a change of the same incident is being stored, by source and key. */
  readonly #waiting = new Map<string, WaitingOrder[]>();

  constructor(deps: ChangeDeps) {
    this.#deps = deps;
  }

  /** Stores a trigger, perhaps together with others of the same key, and returns the effect of all of them. */
  async submit(order: TriggerOrder): Promise<TriggerResult> {
    const { source, incidentKey } = order;
    if (incidentKey === null) return this.#store([order]);
    const queueKey = `${source.id} ${incidentKey}`;
    const waiting = this.#waiting.get(queueKey);
    if (waiting !== undefined) {
      const result = Promise.withResolvers<TriggerResult>();
      waiting.push({ order, result });
      return result.promise;
    }
    this.#waiting.set(queueKey, []);
    try {
      return await this.#store([order]);
    } finally {
      void this.#storeWaiting(queueKey);
    }
  }

  async #storeWaiting(queueKey: string): Promise<void> {
    for (;;) {
      const batch = this.#takeBatch(queueKey);
      if (batch === null) break;
      const [first, ...others] = batch;
      try {
        const result = await this.#store([first.order, ...others.map(({ order }) => order)]);
        for (const { result: waiting } of batch) waiting.resolve(result);
      } catch (error) {
        for (const { result: waiting } of batch) waiting.reject(error);
      }
    }
    this.#waiting.delete(queueKey);
  }

  /** Returns the next orders that share a change; null if none wait. */
  #takeBatch(queueKey: string): readonly [WaitingOrder, ...WaitingOrder[]] | null {
    const [first, ...others] = this.#waiting.get(queueKey) ?? [];
    if (first === undefined) return null;
    const orders = others.map(({ order }) => order);
    const otherCount = countMergeable(first.order, orders) - 1;
    this.#waiting.set(queueKey, others.slice(otherCount));
    return [first, ...others.slice(0, otherCount)];
  }

  #store(orders: TriggerBatch): Promise<TriggerResult> {
    return retryOnConflict(() => attemptTrigger(this.#deps, orders));
  }
}
