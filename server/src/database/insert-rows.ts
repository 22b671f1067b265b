import { CompiledQuery, type Insertable, type Kysely } from "kysely";
import type { Compilable } from "./database.ts";
import type { Schema } from "./schema.ts";

export interface InsertOptions {
  /** Skips rows that already exist. */
  readonly skipsKnown?: boolean;
}

/** A row for a table. A room returns it to be stored in another room's transaction. */
export type NewRow = {
  readonly [Table in keyof Schema]: {
    readonly table: Table;
    readonly row: Insertable<Schema[Table]>;
  };
}[keyof Schema];

/** SQL of insert statements by table, number of rows and options, for each database. */
const COMPILED_SQL = new WeakMap<Kysely<Schema>, Map<string, string>>();

/**
 * Returns the statement that inserts rows. They must have the same columns in the same order. Its SQL is compiled once
 * per number of rows, because compiling takes longer than inserting them.
 */
export function insertRows<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
  { skipsKnown = false }: InsertOptions = {},
): Compilable {
  const compile = (): CompiledQuery => {
    const texts = COMPILED_SQL.get(db) ?? new Map<string, string>();
    const form = `${table} ${rows.length} ${skipsKnown}`;
    const text = texts.get(form);
    if (text !== undefined) return CompiledQuery.raw(text, rows.flatMap(Object.values));
    const query = db.insertInto(table).values(rows);
    const complete = skipsKnown ? query.onConflict((conflict) => conflict.doNothing()) : query;
    const compiled = complete.compile();
    COMPILED_SQL.set(db, texts.set(form, compiled.sql));
    return compiled;
  };
  return { compile };
}

/** Returns the statements that insert rows of several tables, one per table. */
export function insertByTable(db: Kysely<Schema>, rows: readonly NewRow[]): readonly Compilable[] {
  const tables = Map.groupBy(rows, ({ table }) => table);
  return [...tables].map(([table, tableRows]) =>
    insertRows(
      db,
      table,
      tableRows.map(({ row }) => row),
    ),
  );
}
