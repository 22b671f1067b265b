import { sql, type CompiledQuery, type Kysely, type RawBuilder } from "kysely";
import type { Compilable } from "./database.ts";
import type { Schema } from "./schema.ts";

type Values = Readonly<Record<string, string | number | null>>;

/** A placeholder in a statement for one value of a row. */
class Placeholder {
  readonly row: number;
  readonly name: string;

  constructor(row: number, name: string) {
    this.row = row;
    this.name = name;
  }
}

/**
 * Returns a function that makes a statement from values. Its text is compiled once per database, with placeholders for
 * the values: on hot paths, compiling takes longer than the database needs for its answer.
 */
export function compiledOnce<V extends Values>(
  build: (db: Kysely<Schema>, places: V) => Compilable,
): (db: Kysely<Schema>, values: V) => Compilable {
  const compiled = compiledForRows<V>((db, [places]) => build(db, places));
  return (db, values) => compiled(db, [values]);
}

/** At least one row. */
type NonEmptyRows<V> = readonly [V, ...V[]];

/** Returns the same for a statement about several rows, whose text is compiled once per number of rows. */
export function compiledForRows<V extends Values>(
  build: (db: Kysely<Schema>, places: NonEmptyRows<V>) => Compilable,
): (db: Kysely<Schema>, rows: NonEmptyRows<V>) => Compilable {
  const known = new WeakMap<Kysely<Schema>, Map<number, CompiledQuery>>();
  return (db, rows) => {
    const byCount = known.get(db) ?? new Map<number, CompiledQuery>();
    known.set(db, byCount);
    let compiled = byCount.get(rows.length);
    if (compiled === undefined) {
      const [, ...others] = rows;
      const places = others.map((_, index) => placesOf(index + 1) as V);
      compiled = build(db, [placesOf(0) as V, ...places]).compile();
      byCount.set(rows.length, compiled);
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? rows[parameter.row]?.[parameter.name] : parameter,
    );
    const asked = { ...compiled, parameters };
    return { compile: () => asked };
  };
}

/** Returns an object that has a placeholder under every name; only Kysely reads them, and it passes them on unchanged. */
function placesOf(row: number): object {
  return new Proxy({}, { get: (_target, name) => new Placeholder(row, String(name)) });
}

/** Returns a value cast to text, where PostgreSQL cannot infer its type. */
export function text(value: string): RawBuilder<string> {
  return sql`cast(${value} as text)`;
}

/** Returns a value cast to bigint, where PostgreSQL cannot infer its type. */
export function bigint(value: number): RawBuilder<number> {
  return sql`cast(${value} as bigint)`;
}
