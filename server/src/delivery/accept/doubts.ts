import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { AcceptInDoubtError, Certainty } from "./accept-in-doubt.ts";

/** First pause between queries, … */
const PAUSE_MIN_MS = 50;
/** … and the longest. Pauses double. */
const PAUSE_MAX_MS = 1_000;
/** Longest time of a doubt. By then every lease of the batch has ended, and other processes have claimed its stored jobs. */
const DOUBT_MAX_MS = 10 * 60_000;

export interface DoubtsOptions {
  readonly log: Logger;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Queries batches in doubt until it is known whether they are stored. */
export class Doubts {
  readonly #options: DoubtsOptions;
  readonly #stopping = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  constructor(options: DoubtsOptions) {
    this.#options = options;
  }

  /** Resolves with the results of a batch once they are known; null if they stay unknown, for example after a stop. */
  clear(doubt: AcceptInDoubtError): Promise<Certainty | null> {
    const clearing = this.#query(doubt);
    this.#open.add(clearing);
    void clearing.finally(() => this.#open.delete(clearing));
    return clearing;
  }

  /** Gives up all batches. No query runs afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#open);
  }

  /** Never rejects. */
  async #query(doubt: AcceptInDoubtError): Promise<Certainty | null> {
    const { log, elapsed } = this.#options;
    const { signal } = this.#stopping;
    const startedAt = elapsed();
    log.warn({ err: doubt.cause }, "it is not known whether notifications were stored");
    let pauseMs = PAUSE_MIN_MS;
    let lastError: unknown = null;
    while (!signal.aborted && elapsed() - startedAt < DOUBT_MAX_MS) {
      try {
        const certainty = await doubt.find();
        const stored = [...certainty.values()].filter((result) => result !== null).length;
        const facts = { stored, notStored: certainty.size - stored };
        log.info({ ...facts, afterMs: Math.round(elapsed() - startedAt) }, "now it is known");
        return certainty;
      } catch (error) {
        lastError = error;
        await wait(pauseMs, null, { signal, ref: false }).catch(() => {});
        pauseMs = Math.min(PAUSE_MAX_MS, pauseMs * 2);
      }
    }
    log.error({ err: lastError }, "it stayed unknown whether notifications were stored");
    return null;
  }
}
