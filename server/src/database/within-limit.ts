import type { Kysely } from "kysely";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";

/** A limit on a number of rows. */
export interface RowLimit {
  /** Name of the counted rows. Transactions that add to them wait for each other. */
  readonly name: string;
  readonly most: number;
  readonly count: (db: Kysely<Schema>) => Promise<{ readonly count: number | string | bigint }>;
}

/** Runs `add` in its own transaction and returns its result, or returns `full` if the limit is reached. */
export function withinLimit<T>(
  database: Database,
  { name, most, count }: RowLimit,
  add: (db: Kysely<Schema>) => Promise<T>,
): Promise<T | "full"> {
  return database.transaction(async (db) => {
    await database.engine.hold(name).execute(db);
    const row = await count(db);
    return Number(row.count) >= most ? "full" : add(db);
  });
}
