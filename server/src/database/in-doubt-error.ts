import type { QueryResult } from "kysely";
import type { Compilable } from "./database.ts";

/** Runs queries that only read; their results are in their order. */
export type Look = (queries: readonly Compilable[]) => Promise<readonly QueryResult<unknown>[]>;

/** A commit whose end nobody heard of: it may be stored, it may not, and it may still be stored later. */
export class InDoubtError extends Error {
  /**
   * Sees to it that what is not stored by now never will be, and then reads; what is found is as durable as any commit. Rejects
   * while the database cannot be asked, and may be repeated.
   */
  readonly makeCertain: Look;

  constructor(cause: unknown, makeCertain: Look) {
    super("It is not known whether a commit was stored.", { cause });
    this.name = "InDoubtError";
    this.makeCertain = makeCertain;
  }
}
