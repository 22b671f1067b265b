import type { CompiledQuery, QueryResult } from "kysely";

type Results = readonly QueryResult<unknown>[];

/** Runs queries and returns their results in order; an error applies to all of them. */
type RunTogether = (queries: readonly CompiledQuery[]) => Promise<Results>;

interface PendingRead {
  readonly query: CompiledQuery;
  readonly resolve: (result: QueryResult<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends all reads of one turn of the event loop together: each write to a socket takes longer than preparing a query.
 * It sends after the turn, so that every caller sees what was stored before it asked.
 */
export class ReadsTogether {
  readonly #run: RunTogether;
  #asked: PendingRead[] = [];

  constructor(run: RunTogether) {
    this.#run = run;
  }

  /** Resolves with the result of the query. */
  ask(query: CompiledQuery): Promise<QueryResult<unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<unknown>>();
    if (this.#asked.length === 0) setImmediate(() => void this.#begin());
    this.#asked.push({ query, resolve, reject });
    return promise;
  }

  async #begin(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const results = await this.#run(asked.map(({ query }) => query));
      for (const [index, { resolve, reject }] of asked.entries()) {
        const result = results[index];
        if (result === undefined)
          reject(new Error("The database answered less than it was asked."));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
