import type { Kysely } from "kysely";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";

/** A limit on a number of rows. */
export interface RowLimit {
  /** The name to lock. Transactions that add such rows wait for each other. */
  readonly name: string;
  /** The maximum number of rows. */
  readonly max: number;
  /** Counts the rows that the limit applies to. */
  readonly count: (db: Kysely<Schema>) => Promise<{ readonly count: number | string | bigint }>;
}

/** Runs `add` in its own transaction and returns its result, or returns `full` if the limit is reached. */
export function addWithinLimit<T>(
  database: Database,
  { name, max, count }: RowLimit,
  add: (db: Kysely<Schema>) => Promise<T>,
): Promise<T | "full"> {
  return database.transaction(async (db) => {
    await database.engine.lockName(name).execute(db);
    const row = await count(db);
    return Number(row.count) >= max ? "full" : add(db);
  });
}
