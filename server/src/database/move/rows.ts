import { CompiledQuery, sql, type RawBuilder } from "kysely";
import type { Database } from "../database.ts";
import type { MovedColumn, MovedTable } from "./catalog.ts";

/** A row, as values in the order of its table's columns. Both engines yield the same values. */
export type Row = readonly (string | number | null)[];

/** The approximate size of a batch in characters, for rows of any size. */
const BATCH_CHARACTERS = 2_000_000;
const BATCH_ROWS_MAX = 5_000;
const BATCH_ROWS_MIN = 20;
/** Largest growth of a batch's number of rows over that of the previous batch, because row sizes vary. */
const BATCH_GROWTH_MAX = 8;

/** Yields the rows of a table in key order, in batches, from the row after `after`. */
export async function* readRows(
  database: Database,
  table: MovedTable,
  after: Row | null = null,
): AsyncGenerator<readonly Row[]> {
  let limit = BATCH_ROWS_MIN;
  for (let lastRow = after; ;) {
    const rows = await readBatch(database, table, { after: lastRow, limit });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    lastRow = rows.at(-1) ?? null;
    const characters = rows.reduce((sum, row) => sum + countCharacters(row), 1);
    const fittingRows = Math.floor((BATCH_CHARACTERS * rows.length) / characters);
    limit = Math.max(
      BATCH_ROWS_MIN,
      Math.min(fittingRows, limit * BATCH_GROWTH_MAX, BATCH_ROWS_MAX),
    );
  }
}

/** Returns the last row in key order; null if there is none. */
export async function findLastRow(database: Database, table: MovedTable): Promise<Row | null> {
  const order = sql.join(table.keyColumns.map((name) => sql`${sql.ref(name)} desc`));
  const query = sql`select ${selectColumns(database, table)} from ${sql.table(table.name)}
    order by ${order} limit 1`;
  return (await fetchRows(database, table, query))[0] ?? null;
}

/** Returns the number of rows in a table. */
export async function countRows({ db }: Database, { name }: MovedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(name)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Adds rows to a table in one durable transaction. */
export async function writeRows(
  database: Database,
  { name, columns }: MovedTable,
  rows: readonly Row[],
): Promise<void> {
  const into = sql`insert into ${sql.table(name)} (${joinColumnNames(columns)})`;
  if (database.engine.name === "postgres") {
    const text = JSON.stringify(rows.map((row) => toRecord(columns, row)));
    await sql`${into} select ${joinColumnNames(columns)}
      from json_populate_recordset(null::${sql.table(name)}, ${text}::json)`.execute(database.db);
    return;
  }
  const values = columns.map((_, index) => sql`json_extract(value, ${sql.lit(`$[${index}]`)})`);
  await sql`${into} select ${sql.join(values)} from json_each(${JSON.stringify(rows)})`.execute(
    database.db,
  );
}

/** The rows of a batch: at most `limit` rows after a row. */
interface BatchRange {
  readonly after: Row | null;
  readonly limit: number;
}

async function readBatch(database: Database, table: MovedTable, { after, limit }: BatchRange) {
  const key = sql.join(table.keyColumns.map((name) => sql.ref(name)));
  const where =
    after === null ? sql`` : sql`where (${key}) > (${sql.join(getKeyValues(table, after))})`;
  const query = sql`select ${selectColumns(database, table)} from ${sql.table(table.name)} ${where}
    order by ${key} limit ${sql.lit(limit)}`;
  return fetchRows(database, table, query);
}

async function fetchRows(
  { db }: Database,
  { columns }: MovedTable,
  query: RawBuilder<unknown>,
): Promise<readonly Row[]> {
  const { sql: text, parameters } = query.compile(db);
  const { rows } = await db.executeQuery<Record<string, string | number | null>>(
    CompiledQuery.raw(text, [...parameters]),
  );
  return rows.map((row) =>
    columns.map((column) => toCanonicalValue(column, row[column.name] ?? null)),
  );
}

function getKeyValues(
  { keyColumns, columns }: MovedTable,
  row: Row,
): readonly (string | number | null)[] {
  return keyColumns.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

function joinColumnNames(columns: readonly MovedColumn[]) {
  return sql.join(columns.map(({ name }) => sql.ref(name)));
}

/** Returns the columns to select, with booleans as 0 and 1 and times in ISO 8601 (UTC), as SQLite stores them. */
function selectColumns({ engine }: Database, { columns }: MovedTable) {
  return sql.join(
    columns.map(({ name, kind }) => {
      const column = sql.ref(name);
      if (engine.name === "sqlite" || kind === "plain") return column;
      if (kind === "boolean") return sql`cast(${column} as integer) as ${column}`;
      return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;
    }),
  );
}

function toCanonicalValue({ kind }: MovedColumn, value: string | number | null) {
  return kind === "timestamp" && value !== null ? new Date(value).toISOString() : value;
}

function toRecord(columns: readonly MovedColumn[], row: Row) {
  return Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]));
}

/** The assumed size of a number or of null in a row. */
const NUMBER_CHARACTERS = 8;

function countCharacters(row: Row): number {
  return row.reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : NUMBER_CHARACTERS),
    0,
  );
}
