import type { QueryResult } from "kysely";
import type { Compilable } from "./database.ts";

/** Runs read-only queries; the results are in their order. */
export type Look = (queries: readonly Compilable[]) => Promise<readonly QueryResult<unknown>[]>;

/** A commit whose answer was lost: it may be stored, may not be, or may still be stored later. */
export class InDoubtError extends Error {
  /**
   * Makes sure that a commit not stored by now never will be, and then reads; the results are as durable as any commit.
   * Rejects while the database is unavailable, and may be repeated.
   */
  readonly makeCertain: Look;

  constructor(cause: unknown, makeCertain: Look) {
    super("It is not known whether a commit was stored.", { cause });
    this.name = "InDoubtError";
    this.makeCertain = makeCertain;
  }
}
