import type { Logger } from "pino";
import type { Database } from "./database/database.ts";

/** What every room needs: where things are remembered, the time, ids and the log. */
export interface Context {
  readonly database: Database;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Unique, and sorting by time of creation. */
  readonly newId: () => string;
  readonly log: Logger;
}
