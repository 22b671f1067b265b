import type { CompiledQuery, QueryResult } from "kysely";

type Results = readonly QueryResult<unknown>[];

/** Runs queries and answers them in their order; an error is that of all of them. */
type RunTogether = (queries: readonly CompiledQuery[]) => Promise<Results>;

interface Asked {
  readonly query: CompiledQuery;
  readonly resolve: (result: QueryResult<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends what is read in one turn of the event loop together: to write to a socket takes longer than to ask. It begins after
 * the turn, so that everybody sees what was stored before they asked.
 */
export class ReadsTogether {
  readonly #run: RunTogether;
  #asked: Asked[] = [];

  constructor(run: RunTogether) {
    this.#run = run;
  }

  /** Resolves with what the query reads. */
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
