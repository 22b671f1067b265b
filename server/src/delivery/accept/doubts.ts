import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { AcceptInDoubtError, Certainty } from "./accept-in-doubt.ts";

/** First pause before asking again, … */
const AGAIN_MIN_MS = 50;
/** … and the longest one: pauses double. */
const AGAIN_MAX_MS = 1_000;
/** Longest time of asking: by then every lease of the batch has ended, and other processes claimed what is stored. */
const DOUBT_MAX_MS = 10 * 60_000;

export interface DoubtsOptions {
  readonly log: Logger;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Asks about batches in doubt until it is known whether they are stored. */
export class Doubts {
  readonly #options: DoubtsOptions;
  readonly #stopping = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  constructor(options: DoubtsOptions) {
    this.#options = options;
  }

  /** Resolves with the results of a batch, however long it takes; null if it stays unknown, as after a stop. */
  clear(doubt: AcceptInDoubtError): Promise<Certainty | null> {
    const clearing = this.#ask(doubt);
    this.#open.add(clearing);
    void clearing.finally(() => this.#open.delete(clearing));
    return clearing;
  }

  /** Gives up all batches; nothing is asked afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#open);
  }

  /** Never rejects. */
  async #ask(doubt: AcceptInDoubtError): Promise<Certainty | null> {
    const { log, elapsed } = this.#options;
    const { signal } = this.#stopping;
    const since = elapsed();
    log.warn({ err: doubt.cause }, "it is not known whether notifications were stored");
    let pauseMs = AGAIN_MIN_MS;
    let last: unknown = null;
    while (!signal.aborted && elapsed() - since < DOUBT_MAX_MS) {
      try {
        const certainty = await doubt.find();
        const stored = [...certainty.values()].filter((result) => result !== null).length;
        const facts = { stored, notStored: certainty.size - stored };
        log.info({ ...facts, afterMs: Math.round(elapsed() - since) }, "now it is known");
        return certainty;
      } catch (error) {
        last = error;
        await wait(pauseMs, null, { signal, ref: false }).catch(() => {});
        pauseMs = Math.min(AGAIN_MAX_MS, pauseMs * 2);
      }
    }
    log.error({ err: last }, "it stayed unknown whether notifications were stored");
    return null;
  }
}
