import type { AcceptRequest, AcceptResult } from "../store/delivery-store.ts";

/** The result of each request of a batch; null if the request is not stored and never will be. */
export type CertainResults = ReadonlyMap<AcceptRequest, AcceptResult | null>;

/** Thrown if the response to the commit of a batch was lost. */
export class AcceptInDoubtError extends Error {
  /** Resolves with the final results. Rejects while the database is unavailable; may be called again. */
  readonly queryResults: () => Promise<CertainResults>;

  constructor(cause: unknown, queryResults: () => Promise<CertainResults>) {
    super("It is not known whether notifications were stored.", { cause });
    this.name = "AcceptInDoubtError";
    this.queryResults = queryResults;
  }
}
