import { sql, type CompiledQuery, type Kysely, type RawBuilder } from "kysely";
import type { Compilable } from "./database.ts";
import type { Schema } from "./schema.ts";

type Values = Readonly<Record<string, string | number | null>>;

/** A placeholder for one value of a row in a statement. */
class Placeholder {
  readonly row: number;
  readonly name: string;

  constructor(row: number, name: string) {
    this.row = row;
    this.name = name;
  }
}

/**
 * Returns a function that creates a statement from values. Its SQL is compiled once per database, with placeholders
 * for the values: on hot paths, compiling takes longer than the query itself.
 */
export function compiledOnce<V extends Values>(
  build: (db: Kysely<Schema>, placeholders: V) => Compilable,
): (db: Kysely<Schema>, values: V) => Compilable {
  const compiled = compiledForRows<V>((db, [placeholders]) => build(db, placeholders));
  return (db, values) => compiled(db, [values]);
}

/** At least one row. */
type NonEmptyRows<V> = readonly [V, ...V[]];

/** Does the same for a statement about several rows. Its SQL is compiled once per number of rows. */
export function compiledForRows<V extends Values>(
  build: (db: Kysely<Schema>, placeholders: NonEmptyRows<V>) => Compilable,
): (db: Kysely<Schema>, rows: NonEmptyRows<V>) => Compilable {
  const cache = new WeakMap<Kysely<Schema>, Map<number, CompiledQuery>>();
  return (db, rows) => {
    const byCount = cache.get(db) ?? new Map<number, CompiledQuery>();
    cache.set(db, byCount);
    let compiled = byCount.get(rows.length);
    if (compiled === undefined) {
      const [, ...others] = rows;
      const placeholders = others.map((_, index) => placeholdersOf(index + 1) as V);
      compiled = build(db, [placeholdersOf(0) as V, ...placeholders]).compile();
      byCount.set(rows.length, compiled);
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? rows[parameter.row]?.[parameter.name] : parameter,
    );
    const query = { ...compiled, parameters };
    return { compile: () => query };
  };
}

/** Returns an object with a placeholder under every name. Only Kysely reads them, and it passes them on unchanged. */
function placeholdersOf(row: number): object {
  return new Proxy({}, { get: (_target, name) => new Placeholder(row, String(name)) });
}

/** Returns a value cast to text. Needed if PostgreSQL cannot infer its type. */
export function text(value: string): RawBuilder<string> {
  return sql`cast(${value} as text)`;
}

/** Returns a value cast to bigint. Needed if PostgreSQL cannot infer its type. */
export function bigint(value: number): RawBuilder<number> {
  return sql`cast(${value} as bigint)`;
}
