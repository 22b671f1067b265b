import type { Logger } from "pino";
import type { RowSeal } from "#secrets/row-seal.ts";
import type { Database } from "./database/database.ts";
import { createIds } from "./ids.ts";

/** Dependencies of every room: database, clocks, ids, log and seal. */
export interface Context {
  readonly database: Database;
  /** The wall clock, in milliseconds since the epoch, for times that are stored or shown. It jumps when it is set. */
  readonly now: () => number;
  /**
   * A monotonic clock with an arbitrary origin, in milliseconds, for times that exist only in memory. It never jumps.
   */
  readonly elapsed: () => number;
  /** Returns a unique id; ids sort by time of creation. */
  readonly newId: () => string;
  readonly log: Logger;
  /** Seals values in rows that must be readable later. */
  readonly seal: RowSeal;
}

/** The part of a context for a query that needs neither the time nor a new id. */
export type DatabaseContext = Pick<Context, "database">;

/** Returns a context that generates its ids from its wall clock. */
export function createContext(deps: Omit<Context, "newId">): Context {
  const { database, now, elapsed, log, seal } = deps;
  return { database, now, elapsed, newId: createIds(now), log, seal };
}
