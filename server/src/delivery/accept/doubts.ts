import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { AcceptInDoubtError, Certainty } from "./accept-in-doubt.ts";

/** A network that is back is noticed this soon at first, … */
const AGAIN_MIN_MS = 50;
/** … and later so often. */
const AGAIN_MAX_MS = 1_000;
/** By then every lease of a doubt has ended, and others took what is stored. */
const DOUBT_MAX_MS = 10 * 60_000;

export interface DoubtsOptions {
  readonly log: Logger;
  /** Counts milliseconds from any moment on, and never jumps. */
  readonly elapsed: () => number;
}

/** Batches of which is not known whether they are stored, each asked about until it is. */
export class Doubts {
  readonly #options: DoubtsOptions;
  readonly #stopping = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  constructor(options: DoubtsOptions) {
    this.#options = options;
  }

  /** Resolves with what became of a batch, however long it takes; null where it ends unknown, as by a stop. */
  clear(doubt: AcceptInDoubtError): Promise<Certainty | null> {
    const clearing = this.#ask(doubt);
    this.#open.add(clearing);
    void clearing.finally(() => this.#open.delete(clearing));
    return clearing;
  }

  /** Gives up what is open; nothing is asked afterwards. */
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
