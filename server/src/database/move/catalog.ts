import { sql } from "kysely";
import type { Database } from "../database.ts";

/** A table as both engines have it. */
export interface MovedTable {
  readonly name: string;
  /** The columns of its primary key, in their order there. */
  readonly key: readonly string[];
  readonly columns: readonly MovedColumn[];
}

/** A column; some of the oldest tables have types on PostgreSQL that SQLite lacks. */
export interface MovedColumn {
  readonly name: string;
  readonly kind: "plain" | "boolean" | "moment";
}

/** Tables of a database's own bookkeeping, which are not moved. */
const OWN = /^(kysely_|sqlite_)/;

/**
 * Returns the tables to move, referenced ones first. Throws if SQLite has a column that PostgreSQL lacks: it would be
 * lost. Tables that only PostgreSQL has concern its processes and are not moved.
 */
export async function movedTables(
  sqlite: Database,
  postgres: Database,
): Promise<readonly MovedTable[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' order by name`.execute(sqlite.db);
  const names = rows.map(({ name }) => name).filter((name) => !OWN.test(name));
  const tables = await Promise.all(names.map((name) => describe(sqlite, postgres, name)));
  return inOrder(tables);
}

interface CatalogTable extends MovedTable {
  readonly refersTo: readonly string[];
}

async function describe(sqlite: Database, postgres: Database, name: string): Promise<CatalogTable> {
  const { rows: own } = await sql<{ name: string; pk: number }>`
    select name, pk from pragma_table_info(${name}) order by cid`.execute(sqlite.db);
  const { rows: references } = await sql<{ table: string }>`
    select distinct "table" from pragma_foreign_key_list(${name})`.execute(sqlite.db);
  const { rows: theirs } = await sql<{ name: string; type: string }>`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = current_schema() and table_name = ${name}`.execute(postgres.db);
  const types = new Map(theirs.map((column) => [column.name, column.type]));
  const missing = own.find((column) => !types.has(column.name));
  if (missing !== undefined) throw new Error(`PostgreSQL has no ${name}.${missing.name}.`);
  return {
    name,
    key: own
      .filter(({ pk }) => pk > 0)
      .toSorted((one, other) => one.pk - other.pk)
      .map((column) => column.name),
    columns: own.map((column) => ({ name: column.name, kind: kindOf(types.get(column.name)) })),
    refersTo: references.map(({ table }) => table).filter((table) => table !== name),
  };
}

function kindOf(type: string | undefined): MovedColumn["kind"] {
  if (type === "boolean") return "boolean";
  return type === "timestamp with time zone" ? "moment" : "plain";
}

function inOrder(tables: readonly CatalogTable[]): readonly MovedTable[] {
  const ordered: CatalogTable[] = [];
  const rest = new Set(tables);
  while (rest.size > 0) {
    const before = rest.size;
    for (const table of rest) {
      if ([...rest].some((other) => table.refersTo.includes(other.name))) continue;
      ordered.push(table);
      rest.delete(table);
    }
    if (rest.size === before) throw new Error("Tables refer to each other in a circle.");
  }
  return ordered;
}
