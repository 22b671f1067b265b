import { sql, type RawBuilder } from "kysely";

/** Returns a value as a text, where nothing else tells PostgreSQL its type. */
export function text(value: string): RawBuilder<string> {
  return sql`cast(${value} as text)`;
}

/** Returns a value as a bigint, where nothing else tells PostgreSQL its type. */
export function bigint(value: number): RawBuilder<number> {
  return sql`cast(${value} as bigint)`;
}
