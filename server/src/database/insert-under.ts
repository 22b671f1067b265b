import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Compilable } from "./database.ts";
import type { NewRow } from "./insert-rows.ts";
import type { Schema } from "./schema.ts";

/** A condition on rows that earlier statements of the same transaction wrote. */
export type Condition = RawBuilder<boolean>;

/**
 * Returns the query that inserts a row if a condition holds. The statements of one `atomically` cannot react to each
 * other's results, so each statement that depends on an earlier one carries the condition itself.
 */
export function insertUnderQuery(
  db: Kysely<Schema>,
  { table, row }: NewRow,
  condition: Condition,
): Compilable {
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
  const values = sql.join(Object.values(row).map(castValue));
  const statement = sql`insert into ${sql.table(table)} (${columns}) select ${values} where ${condition}`;
  return { compile: () => statement.compile(db) };
}

/**
 * Casts a value, because PostgreSQL gives a placeholder in a select list no type. A literal null takes the type of its
 * column.
 */
export function castValue(value: unknown) {
  if (value === null) return sql`null`;
  return typeof value === "number" ? sql`cast(${value} as bigint)` : sql`cast(${value} as text)`;
}
