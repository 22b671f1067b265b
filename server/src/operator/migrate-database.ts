import type { Config } from "#config/config.ts";
import { migrate } from "#database/migration.ts";
import { openWithLongTimeouts } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { prepareDataFolder } from "#process/data-folder.ts";
import { OperatorError } from "./operator-error.ts";

/**
 * Migrates the configured database to this version, and returns the names of the migrations that ran. Creates a missing
 * SQLite file. Safe to run concurrently, and while servers of the previous version run. Throws `OperatorError` for an
 * error that PostgreSQL explains.
 */
export async function migrateDatabase({
  config: { dataDir, database: location },
  now,
}: {
  readonly config: Pick<Config, "dataDir" | "database">;
  readonly now: () => number;
}): Promise<readonly string[]> {
  if (location.kind === "sqlite") await prepareDataFolder(dataDir);
  // Another process may be migrating a large table, and holds the lock that this one waits for.
  const database = openWithLongTimeouts(location);
  try {
    const migrations = await migrate(database);
    await prepareDays(database, { now: now() });
    return migrations;
  } catch (error) {
    const reason = location.kind === "postgres" ? explainPostgresFailure(error, location) : null;
    if (reason === null) throw error;
    throw new OperatorError("database", reason, error);
  } finally {
    await database.close();
  }
}
