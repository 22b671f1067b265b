import type { CompiledQuery, QueryResult } from "kysely";

type Results = readonly QueryResult<unknown>[];

/** Runs queries and returns their results in order. An error applies to all of them. */
type RunTogether = (queries: readonly CompiledQuery[]) => Promise<Results>;

/** A read that waits for the end of the iteration. */
interface PendingRead {
  readonly query: CompiledQuery;
  readonly resolve: (result: QueryResult<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends all reads of one iteration of the event loop together: each write to a socket takes longer than preparing a
 * query. The reads are sent after the iteration, so that every caller sees everything that was stored before its call.
 */
export class ReadBatcher {
  readonly #run: RunTogether;
  #pending: PendingRead[] = [];

  constructor(run: RunTogether) {
    this.#run = run;
  }

  /** Resolves with the result of the query. */
  read(query: CompiledQuery): Promise<QueryResult<unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<unknown>>();
    if (this.#pending.length === 0) setImmediate(() => void this.#runPending());
    this.#pending.push({ query, resolve, reject });
    return promise;
  }

  async #runPending(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    try {
      const results = await this.#run(pending.map(({ query }) => query));
      for (const [index, { resolve, reject }] of pending.entries()) {
        const result = results[index];
        if (result === undefined)
          reject(new Error("The database returned fewer results than queries were sent."));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of pending) reject(error);
    }
  }
}
