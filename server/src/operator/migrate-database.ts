import { pino } from "pino";
import type { Config } from "#config/config.ts";
import { migrate } from "#database/migration.ts";
import { openDatabase } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { prepareDataFolder } from "#process/data-folder.ts";
import { OperatorError } from "./operator-error.ts";

/**
 * Migrates the configured database to this version, and returns the names of the migrations that ran. Safe to run
 * concurrently, and while servers of the previous version run.
 */
export async function migrateDatabase({
  config: { dataDir, database: databasePlace },
  now,
}: {
  readonly config: Pick<Config, "dataDir" | "database">;
  readonly now: () => number;
}): Promise<readonly string[]> {
  if (databasePlace.kind === "sqlite") await prepareDataFolder(dataDir);
  const database = openDatabase(databasePlace, pino({ level: "silent" }));
  try {
    const steps = await migrate(database);
    await prepareDays(database, { now: now() });
    return steps;
  } catch (error) {
    const reason =
      databasePlace.kind === "postgres" ? explainPostgresFailure(error, databasePlace) : null;
    if (reason === null) throw error;
    throw new OperatorError("database", reason, error);
  } finally {
    await database.close();
  }
}
