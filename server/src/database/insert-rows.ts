import { CompiledQuery, type Insertable, type Kysely } from "kysely";
import type { Compilable } from "./database.ts";
import type { Schema } from "./schema.ts";

/** How an insert treats rows that already exist. */
export interface InsertOptions {
  /** Whether rows that already exist are skipped; by default, they are an error. */
  readonly skipsExisting?: boolean;
}

/** A row for any table. One room returns it, and another room stores it in its own transaction. */
export type NewRow = {
  readonly [Table in keyof Schema]: {
    readonly table: Table;
    readonly row: Insertable<Schema[Table]>;
  };
}[keyof Schema];

/** SQL of insert statements by table, number of rows and options, for each database. */
const COMPILED_SQL_CACHE = new WeakMap<Kysely<Schema>, Map<string, string>>();

/**
 * Returns the query that inserts rows. All calls for a table must pass rows with the same columns in the same order,
 * because the SQL is cached by table, number of rows and options: compiling takes longer than inserting.
 */
export function insertRowsQuery<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
  { skipsExisting = false }: InsertOptions = {},
): Compilable {
  const compile = (): CompiledQuery => {
    const sqlByCacheKey = COMPILED_SQL_CACHE.get(db) ?? new Map<string, string>();
    const cacheKey = `${table} ${rows.length} ${skipsExisting}`;
    const cachedSql = sqlByCacheKey.get(cacheKey);
    if (cachedSql !== undefined) return CompiledQuery.raw(cachedSql, rows.flatMap(Object.values));
    const query = db.insertInto(table).values(rows);
    const finalQuery = skipsExisting ? query.onConflict((conflict) => conflict.doNothing()) : query;
    const compiled = finalQuery.compile();
    COMPILED_SQL_CACHE.set(db, sqlByCacheKey.set(cacheKey, compiled.sql));
    return compiled;
  };
  return { compile };
}
