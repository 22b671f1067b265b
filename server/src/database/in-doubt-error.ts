import type { QueryResult } from "kysely";
import type { Compilable } from "./database.ts";

/** Runs read-only queries, and returns their results in the same order. */
export type ReadQueries = (
  queries: readonly Compilable[],
) => Promise<readonly QueryResult<unknown>[]>;

/**
 * Thrown if the outcome of a commit is unknown, for example because the response was lost: the commit may be stored,
 * not stored, or stored later.
 */
export class InDoubtError extends Error {
  /**
   * Ensures that a commit that is not stored yet never will be, and then reads. The results are as durable as any
   * commit. Rejects while the database is unavailable, and may be called again.
   */
  readonly settleAndRead: ReadQueries;

  constructor(cause: unknown, settleAndRead: ReadQueries) {
    super("It is not known whether a commit was stored.", { cause });
    this.name = "InDoubtError";
    this.settleAndRead = settleAndRead;
  }
}
