import { sql, type RawBuilder } from "kysely";

/** Returns a value cast to text, where PostgreSQL cannot infer its type. */
export function text(value: string): RawBuilder<string> {
  return sql`cast(${value} as text)`;
}

/** Returns a value cast to bigint, where PostgreSQL cannot infer its type. */
export function bigint(value: number): RawBuilder<number> {
  return sql`cast(${value} as bigint)`;
}
