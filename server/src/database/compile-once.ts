import { sql, type CompiledQuery, type Kysely, type RawBuilder } from "kysely";
import type { Compilable } from "./database.ts";
import type { Schema } from "./schema.ts";

/** The values of one row of a statement, by name. */
type StatementValues = Readonly<Record<string, string | number | null>>;

/** A placeholder for one value of a row in a statement. */
class Placeholder {
  readonly rowIndex: number;
  readonly name: string;

  constructor(rowIndex: number, name: string) {
    this.rowIndex = rowIndex;
    this.name = name;
  }
}

/**
 * Returns a function that creates a statement from values. The statement's SQL is compiled once per database, with
 * placeholders for the values: on hot paths, compiling takes longer than the query itself.
 */
export function compileOnce<V extends StatementValues>(
  build: (db: Kysely<Schema>, placeholders: V) => Compilable,
): (db: Kysely<Schema>, values: V) => Compilable {
  const createStatement = compileOncePerRowCount<V>((db, [placeholders]) =>
    build(db, placeholders),
  );
  return (db, values) => createStatement(db, [values]);
}

/** The values of at least one row. */
export type NonEmptyRows<V> = readonly [V, ...V[]];

/**
 * Maximum number of rows for which compiled SQL is kept. Statements with more rows are rare and large, and their
 * numbers of rows vary.
 */
const CACHED_ROWS_MAX = 128;

/**
 * Returns a function that creates a statement from the values of several rows. The statement's SQL is compiled once per
 * database and number of rows, up to `CACHED_ROWS_MAX` rows.
 */
export function compileOncePerRowCount<V extends StatementValues>(
  build: (db: Kysely<Schema>, placeholders: NonEmptyRows<V>) => Compilable,
): (db: Kysely<Schema>, rows: NonEmptyRows<V>) => Compilable {
  const cache = new WeakMap<Kysely<Schema>, Map<number, CompiledQuery>>();
  return (db, rows) => {
    if (rows.length > CACHED_ROWS_MAX) return build(db, rows);
    const queriesByRowCount = cache.get(db) ?? new Map<number, CompiledQuery>();
    cache.set(db, queriesByRowCount);
    let compiled = queriesByRowCount.get(rows.length);
    if (compiled === undefined) {
      const [, ...furtherRows] = rows;
      const placeholders = furtherRows.map((_, index) => createPlaceholders(index + 1) as V);
      compiled = build(db, [createPlaceholders(0) as V, ...placeholders]).compile();
      queriesByRowCount.set(rows.length, compiled);
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? rows[parameter.rowIndex]?.[parameter.name] : parameter,
    );
    const query = { ...compiled, parameters };
    return { compile: () => query };
  };
}

/** Returns an object with a placeholder under every name. Kysely passes placeholders on as parameters, unchanged. */
function createPlaceholders(rowIndex: number): object {
  return new Proxy({}, { get: (_target, name) => new Placeholder(rowIndex, String(name)) });
}

/** Returns a value cast to text, which is needed if PostgreSQL cannot infer the type. */
export function castToText(value: string): RawBuilder<string> {
  return sql`cast(${value} as text)`;
}

/** Returns a value cast to bigint, which is needed if PostgreSQL cannot infer the type. */
export function castToBigint(value: number): RawBuilder<number> {
  return sql`cast(${value} as bigint)`;
}
