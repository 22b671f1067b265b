import type { Logger } from "pino";
import type { RowSeal } from "#secrets/row-seal.ts";
import type { Database } from "./database/database.ts";

/** What every room needs: where things are remembered, the time, ids, the log and the seal. */
export interface Context {
  readonly database: Database;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Unique, and sorting by time of creation. */
  readonly newId: () => string;
  readonly log: Logger;
  /** Seals what is stored in rows and must be read again. */
  readonly seal: RowSeal;
}
