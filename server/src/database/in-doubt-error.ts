import type { QueryResult } from "kysely";
import type { Compilable } from "./database.ts";

/** Runs read-only queries; returns the results in the same order. */
export type Look = (queries: readonly Compilable[]) => Promise<readonly QueryResult<unknown>[]>;

/** A commit whose response was lost. It may be stored or not, or be stored later. */
export class InDoubtError extends Error {
  /**
   * Ensures that a commit that is not stored yet never will be, and then reads. The results are as durable as any
   * commit. Rejects while the database is unavailable, and may be called again.
   */
  readonly makeCertain: Look;

  constructor(cause: unknown, makeCertain: Look) {
    super("It is not known whether a commit was stored.", { cause });
    this.name = "InDoubtError";
    this.makeCertain = makeCertain;
  }
}
