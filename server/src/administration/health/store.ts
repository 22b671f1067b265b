import { sql } from "kysely";
import type { Context } from "#context.ts";

/** Returns the size of a PostgreSQL database on its server, in bytes. */
export async function measurePostgresBytes({ database: { db } }: Context): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database()) as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}
