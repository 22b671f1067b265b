import { sql } from "kysely";
import { compareMigrations, listAppliedMigrations, type MigrationStatus } from "./migration.ts";
import { openPostgres } from "./postgres.ts";

/** The result of the inspection of a PostgreSQL database. */
export interface PostgresInspection {
  /** The server's version as `server_version_num`: 150004 is 15.4. */
  readonly version: number;
  /** The time of the inspection by the database's clock, in milliseconds since the epoch. */
  readonly inspectedAt: number;
  readonly migrations: MigrationStatus;
  /** The secrets that all processes share, by name, in stored form; empty before the first start. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Inspects the database at `url` without changing it; throws if it cannot be reached. */
export async function inspectPostgres(url: string): Promise<PostgresInspection> {
  const database = openPostgres({ url, connectionsMax: 1 });
  const { db } = database;
  try {
    const { rows } = await sql<{
      version: number;
      at: number;
      migrations: boolean;
      secrets: boolean;
    }>`
      select current_setting('server_version_num')::int as version,
        floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at,
        to_regclass('kysely_migration') is not null as migrations,
        to_regclass('shared_secret') is not null as secrets`.execute(db);
    const {
      version = 0,
      at = 0,
      migrations: hasMigrations = false,
      secrets: hasSecrets = false,
    } = rows[0] ?? {};
    const appliedMigrations = hasMigrations ? await listAppliedMigrations(db) : [];
    const sharedSecrets = hasSecrets
      ? await db.selectFrom("shared_secret").select(["name", "value"]).execute()
      : [];
    return {
      version,
      inspectedAt: at,
      migrations: compareMigrations(appliedMigrations),
      secrets: Object.fromEntries(sharedSecrets.map(({ name, value }) => [name, value])),
    };
  } finally {
    await database.close();
  }
}
