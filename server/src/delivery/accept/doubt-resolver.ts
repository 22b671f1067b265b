import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { AcceptInDoubtError, CertainResults } from "./accept-in-doubt-error.ts";

/** First pause between two queries. Each further pause is twice as long. */
const PAUSE_MIN_MS = 50;
/** Longest pause between two queries. */
const PAUSE_MAX_MS = 1_000;
/**
 * Longest time for which a batch is queried. By then every lease of the batch has ended, and other processes have
 * claimed its stored jobs.
 */
const DOUBT_MAX_MS = 10 * 60_000;

/** The log and the clock of the queries. */
export interface DoubtResolverDeps {
  readonly log: Logger;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Queries batches in doubt until it is known whether they are stored. */
export class DoubtResolver {
  readonly #deps: DoubtResolverDeps;
  readonly #stopping = new AbortController();
  readonly #unresolved = new Set<Promise<unknown>>();

  constructor(deps: DoubtResolverDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with the results of a batch once they are known; null if they stay unknown, for example because the server
   * stops.
   */
  resolve(doubt: AcceptInDoubtError): Promise<CertainResults | null> {
    const resolution = this.#query(doubt);
    this.#unresolved.add(resolution);
    void resolution.finally(() => this.#unresolved.delete(resolution));
    return resolution;
  }

  /** Gives up all batches. No query runs afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#unresolved);
  }

  /** Never rejects. */
  async #query(doubt: AcceptInDoubtError): Promise<CertainResults | null> {
    const { log, elapsed } = this.#deps;
    const { signal } = this.#stopping;
    const startedAt = elapsed();
    log.warn({ err: doubt.cause }, "it is not known whether notifications were stored");
    let pauseMs = PAUSE_MIN_MS;
    let lastError: unknown = null;
    while (!signal.aborted && elapsed() - startedAt < DOUBT_MAX_MS) {
      try {
        const results = await doubt.queryResults();
        const stored = [...results.values()].filter((result) => result !== null).length;
        const facts = { stored, notStored: results.size - stored };
        log.info(
          { ...facts, afterMs: Math.round(elapsed() - startedAt) },
          "it is known now whether the notifications were stored",
        );
        return results;
      } catch (error) {
        lastError = error;
        await wait(pauseMs, null, { signal, ref: false }).catch(() => {});
        pauseMs = Math.min(PAUSE_MAX_MS, pauseMs * 2);
      }
    }
    log.error({ err: lastError }, "it could not be found out whether notifications were stored");
    return null;
  }
}
