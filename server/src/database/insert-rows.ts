import { CompiledQuery, type Insertable, type Kysely } from "kysely";
import type { Compilable } from "./database.ts";
import type { Schema } from "./schema.ts";

export interface InsertOptions {
  /** Rows that are there already stay as they are. */
  readonly skipsKnown?: boolean;
}

/** By table, options and number of rows, for each database. */
const TEXTS = new WeakMap<Kysely<Schema>, Map<string, string>>();

/**
 * Returns the statement that inserts rows, all made alike: with the same columns in the same order. Its text is made once for
 * each number of rows, as that takes longer than to insert them.
 */
export function insertRows<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
  { skipsKnown = false }: InsertOptions = {},
): Compilable {
  const compile = (): CompiledQuery => {
    const texts = TEXTS.get(db) ?? new Map<string, string>();
    const form = `${table} ${rows.length} ${skipsKnown}`;
    const text = texts.get(form);
    if (text !== undefined) return CompiledQuery.raw(text, rows.flatMap(Object.values));
    const query = db.insertInto(table).values(rows);
    const whole = skipsKnown ? query.onConflict((conflict) => conflict.doNothing()) : query;
    const compiled = whole.compile();
    TEXTS.set(db, texts.set(form, compiled.sql));
    return compiled;
  };
  return { compile };
}
