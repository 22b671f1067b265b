import { CompiledQuery, type Insertable, type Kysely } from "kysely";
import type { Compilable } from "./database.ts";
import type { Schema } from "./schema.ts";

export interface InsertOptions {
  /** Leaves rows that exist already as they are. */
  readonly skipsKnown?: boolean;
}

/** A row for a table: what a room hands over to be stored in another room's transaction. */
export type NewRow = {
  readonly [Table in keyof Schema]: {
    readonly table: Table;
    readonly row: Insertable<Schema[Table]>;
  };
}[keyof Schema];

/** Texts of statements by table, number of rows and options, for each database. */
const TEXTS = new WeakMap<Kysely<Schema>, Map<string, string>>();

/**
 * Returns the statement that inserts rows, which must have the same columns in the same order. Its text is compiled
 * once per number of rows, as compiling takes longer than inserting them.
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

/** Returns the statements that insert rows of several tables, one for each table. */
export function insertByTable(db: Kysely<Schema>, rows: readonly NewRow[]): readonly Compilable[] {
  const tables = Map.groupBy(rows, ({ table }) => table);
  return [...tables].map(([table, some]) =>
    insertRows(
      db,
      table,
      some.map(({ row }) => row),
    ),
  );
}
