import { sql } from "kysely";
import type { Database } from "../database.ts";

/** A table that both databases have. */
export interface MovedTable {
  readonly name: string;
  /** The names of the columns of the primary key, in key order. */
  readonly keyColumns: readonly string[];
  readonly columns: readonly MovedColumn[];
}

/** A column. Some of the oldest tables have types on PostgreSQL that SQLite lacks. */
export interface MovedColumn {
  readonly name: string;
  readonly kind: "plain" | "boolean" | "timestamp";
}

/** Internal tables of a database, which are not moved. */
const INTERNAL_TABLES = /^(kysely_|sqlite_)/;

/**
 * Returns the tables to move, referenced ones first. Throws if SQLite has a column that PostgreSQL lacks, because its
 * data would be lost. Tables that only PostgreSQL has concern its processes and are not moved.
 */
export async function listMovedTables(
  sqlite: Database,
  postgres: Database,
): Promise<readonly MovedTable[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' order by name`.execute(sqlite.db);
  const names = rows.map(({ name }) => name).filter((name) => !INTERNAL_TABLES.test(name));
  const tables = await Promise.all(names.map((name) => describeTable(sqlite, postgres, name)));
  return sortByReference(tables);
}

interface CatalogTable extends MovedTable {
  /** The names of the tables that the foreign keys of this table refer to. */
  readonly refersTo: readonly string[];
}

async function describeTable(
  sqlite: Database,
  postgres: Database,
  name: string,
): Promise<CatalogTable> {
  const { rows: sqliteColumns } = await sql<{ name: string; pk: number }>`
    select name, pk from pragma_table_info(${name}) order by cid`.execute(sqlite.db);
  const { rows: references } = await sql<{ table: string }>`
    select distinct "table" from pragma_foreign_key_list(${name})`.execute(sqlite.db);
  const { rows: postgresColumns } = await sql<{ name: string; type: string }>`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = current_schema() and table_name = ${name}`.execute(postgres.db);
  const types = new Map(postgresColumns.map((column) => [column.name, column.type]));
  const missingColumn = sqliteColumns.find((column) => !types.has(column.name));
  if (missingColumn !== undefined)
    throw new Error(`PostgreSQL has no ${name}.${missingColumn.name}.`);
  return {
    name,
    keyColumns: sqliteColumns
      .filter(({ pk }) => pk > 0)
      .toSorted((one, other) => one.pk - other.pk)
      .map((column) => column.name),
    columns: sqliteColumns.map((column) => ({
      name: column.name,
      kind: toColumnKind(types.get(column.name)),
    })),
    refersTo: references.map(({ table }) => table).filter((table) => table !== name),
  };
}

function toColumnKind(type: string | undefined): MovedColumn["kind"] {
  if (type === "boolean") return "boolean";
  return type === "timestamp with time zone" ? "timestamp" : "plain";
}

function sortByReference(tables: readonly CatalogTable[]): readonly MovedTable[] {
  const ordered: CatalogTable[] = [];
  const remainingTables = new Set(tables);
  while (remainingTables.size > 0) {
    const sizeBefore = remainingTables.size;
    for (const table of remainingTables) {
      if ([...remainingTables].some((other) => table.refersTo.includes(other.name))) continue;
      ordered.push(table);
      remainingTables.delete(table);
    }
    if (remainingTables.size === sizeBefore)
      throw new Error("Tables refer to each other in a cycle.");
  }
  return ordered;
}
