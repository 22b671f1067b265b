import type { CompiledQuery, Kysely } from "kysely";
import type { Compilable } from "./database.ts";
import type { Schema } from "./schema.ts";

type Values = Readonly<Record<string, string | number | null>>;

/** Stands in a statement where a value goes when it is asked. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Returns a function that makes a statement of values. Its text is made once for each database, with places for the values:
 * on hot paths that takes longer than the database needs for its answer.
 */
export function compiledOnce<V extends Values>(
  build: (db: Kysely<Schema>, places: V) => Compilable,
): (db: Kysely<Schema>, values: V) => Compilable {
  const known = new WeakMap<Kysely<Schema>, CompiledQuery>();
  return (db, values) => {
    let compiled = known.get(db);
    if (compiled === undefined) {
      compiled = build(db, PLACES as V).compile();
      known.set(db, compiled);
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Place ? values[parameter.name] : parameter,
    );
    const asked = { ...compiled, parameters };
    return { compile: () => asked };
  };
}

/** Whatever is asked of it by name is the place of that name; nobody but Kysely looks at them, which hands them on. */
const PLACES: object = new Proxy({}, { get: (_target, name) => new Place(String(name)) });
