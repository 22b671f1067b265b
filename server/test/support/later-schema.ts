import { sql } from "kysely";
import type { Database } from "#database/database.ts";

/** Kysely's own tables, which migrations do not change. */
const KYSELY_TABLE = /^kysely_/;

/** Applies a migration of an imagined later version, which adds a column to every table. */
export async function applyLaterMigration(database: Database): Promise<void> {
  const { db } = database;
  for (const { name, isPartition } of await listTables(database)) {
    // A partition gets the column from its table.
    if (isPartition || KYSELY_TABLE.test(name)) continue;
    await sql`alter table ${sql.table(name)} add column added_later text`.execute(db);
  }
  await recordMigration(database, "9999-later");
}

/** Records a migration as applied. */
export async function recordMigration({ db }: Database, name: string): Promise<void> {
  const timestamp = new Date(0).toISOString();
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(
    db,
  );
}

interface Table {
  readonly name: string;
  readonly isPartition: boolean;
}

async function listTables({ db, engine }: Database): Promise<readonly Table[]> {
  const query =
    engine.name === "sqlite"
      ? sql<Table>`select name, false as "isPartition" from sqlite_schema
          where type = 'table' and name not like 'sqlite_%'`
      : sql<Table>`select relname as name, relispartition as "isPartition" from pg_class
          where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;
  return (await query.execute(db)).rows;
}
