import type { Kysely } from "kysely";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";

/** What there may be so many of. */
export interface Limit {
  /** Names what is counted: who adds to it waits for others who do. */
  readonly name: string;
  readonly most: number;
  readonly count: (db: Kysely<Schema>) => Promise<{ readonly count: number | string | bigint }>;
}

/** Runs what adds one more in a transaction of its own, and returns what it made; `full` where there are as many as may be. */
export function withinLimit<T>(
  database: Database,
  { name, most, count }: Limit,
  add: (db: Kysely<Schema>) => Promise<T>,
): Promise<T | "full"> {
  return database.transaction(async (db) => {
    await database.engine.hold(name).execute(db);
    const found = await count(db);
    return Number(found.count) >= most ? "full" : add(db);
  });
}
