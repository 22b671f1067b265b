import { sql } from "kysely";
import type { Database } from "#database/database.ts";

/** Kysely's own tables, which no step changes. */
const OF_KYSELY = /^kysely_/;

/** Has a database take a step of a later version: every table has one more column. */
export async function takeLaterStep(database: Database): Promise<void> {
  const { db } = database;
  for (const { name, isPartition } of await tablesOf(database)) {
    // A partition gets the column with its table.
    if (isPartition || OF_KYSELY.test(name)) continue;
    await sql`alter table ${sql.table(name)} add column added_later text`.execute(db);
  }
  await noteStep(database, "9999-later");
}

/** Has a database remember a step, as if it had taken it. */
export async function noteStep({ db }: Database, name: string): Promise<void> {
  const at = new Date(0).toISOString();
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${at})`.execute(db);
}

interface Table {
  readonly name: string;
  readonly isPartition: boolean;
}

async function tablesOf({ db, engine }: Database): Promise<readonly Table[]> {
  const query =
    engine.name === "sqlite"
      ? sql<Table>`select name, false as "isPartition" from sqlite_schema
          where type = 'table' and name not like 'sqlite_%'`
      : sql<Table>`select relname as name, relispartition as "isPartition" from pg_class
          where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;
  return (await query.execute(db)).rows;
}
