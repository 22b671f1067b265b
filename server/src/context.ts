import type { Logger } from "pino";
import type { RowSeal } from "#secrets/row-seal.ts";
import type { Database } from "./database/database.ts";

/** Dependencies of every room: database, clock, ids, log and seal. */
export interface Context {
  readonly database: Database;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a unique id; ids sort by time of creation. */
  readonly newId: () => string;
  readonly log: Logger;
  /** Seals values in rows that must be readable later. */
  readonly seal: RowSeal;
}
