import type { AcceptRequest, AcceptResult } from "../store/delivery-store.ts";

/** What became of each request of a batch; null of one that is not stored and never will be. */
export type Certainty = ReadonlyMap<AcceptRequest, AcceptResult | null>;

/** A batch was handed to the database, and nobody heard whether it was stored. */
export class AcceptInDoubtError extends Error {
  /** Rejects while the database cannot be asked, and may be repeated; from its answer on all is certain. */
  readonly find: () => Promise<Certainty>;

  constructor(cause: unknown, find: () => Promise<Certainty>) {
    super("It is not known whether notifications were stored.", { cause });
    this.name = "AcceptInDoubtError";
    this.find = find;
  }
}
