import { pino } from "pino";
import type { Config } from "#config/config.ts";
import { migrate } from "#database/migration.ts";
import { openDatabase } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { prepareDataFolder } from "#process/data-folder.ts";
import { OperatorError } from "./operator-error.ts";

/**
 * Migrates the configured database to this version, and returns the names of the migrations that ran. Two processes may
 * do it concurrently, and servers of the previous version may run meanwhile.
 */
export async function migrateDatabase({
  config: { dataDir, database: place },
  now,
}: {
  readonly config: Pick<Config, "dataDir" | "database">;
  readonly now: () => number;
}): Promise<readonly string[]> {
  if (place.kind === "sqlite") await prepareDataFolder(dataDir);
  const database = openDatabase(place, pino({ level: "silent" }));
  try {
    const steps = await migrate(database);
    await prepareDays(database, { now: now() });
    return steps;
  } catch (error) {
    const reason = place.kind === "postgres" ? explainPostgresFailure(error, place) : null;
    if (reason === null) throw error;
    throw new OperatorError("database", reason, error);
  } finally {
    await database.close();
  }
}
