import type { Logger } from "pino";
import type { RowSeal } from "#secrets/row-seal.ts";
import type { Database } from "./database/database.ts";
import { createIds } from "./ids.ts";

/** Dependencies of every room: database, clocks, ids, log and seal. */
export interface Context {
  readonly database: Database;
  /** The wall clock, in milliseconds since the epoch: for what is stored or shown. It may be set. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds from any moment on: for everything that is only in memory. It never jumps. */
  readonly elapsed: () => number;
  /** Returns a unique id; ids sort by time of creation. */
  readonly newId: () => string;
  readonly log: Logger;
  /** Seals values in rows that must be readable later. */
  readonly seal: RowSeal;
}

/** The part of a context that a query needs where it neither asks the time nor makes an id. */
export type DatabaseContext = Pick<Context, "database">;

/** Returns a context whose ids are made by its own wall clock. */
export function createContext(given: Omit<Context, "newId">): Context {
  const { database, now, elapsed, log, seal } = given;
  return { database, now, elapsed, newId: createIds(now), log, seal };
}
