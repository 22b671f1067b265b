import { join } from "node:path";
import { createContext, type Context } from "#context.ts";
import type { Database } from "#database/database.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { migrate, needsMigration } from "#database/migration.ts";
import { refuseUnfinishedMove } from "#database/move/move.ts";
import { openDatabase, openWithLongTimeouts, type DatabaseLocation } from "#database/open.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { DatabaseClock } from "#nodes/database-clock.ts";
import { readClock } from "#nodes/store.ts";
import { prepareDataFolder } from "#process/data-folder.ts";
import { createRowSeal } from "#secrets/row-seal.ts";
import { loadSecrets, type Secrets } from "#secrets/secrets.ts";
import type { AppOptions } from "./rooms.ts";

/** The context of all rooms, with the database's clock and the secrets. */
export interface OpenedContext {
  readonly context: Context;
  /** Null on SQLite, which has no clock but this machine's. */
  readonly clock: DatabaseClock | null;
  readonly secrets: Secrets;
}

/**
 * Prepares the data folder, and returns the function that unlocks it. A SQLite file belongs to one process; PostgreSQL
 * needs no lock.
 */
export async function lockDataFolder({
  config: { dataDir, database },
  log,
}: AppOptions): Promise<() => void> {
  const paths = await prepareDataFolder(dataDir);
  if (paths.length > 0)
    log.warn({ paths }, "other users of this machine lost their access to the data folder");
  return database.kind === "sqlite" ? lockInstance(join(dataDir, "server.lock")) : () => {};
}

/** Opens the database, migrates it, and loads the secrets. Closes the database again on a failure. */
export async function openContext(options: AppOptions): Promise<OpenedContext> {
  const database = openDatabase(options.config.database, options.log);
  try {
    return await prepareContext(options, database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function prepareContext(
  { config, log, now, elapsed, time }: AppOptions,
  database: Database,
): Promise<OpenedContext> {
  const steps = await migrateDatabase(config.database, database);
  if (steps.length > 0) log.info({ steps }, "the database was migrated");
  await refuseUnfinishedMove(database);
  const clock = config.database.kind === "sqlite" ? null : new DatabaseClock(elapsed);
  await clock?.read(() => readClock(database));
  const clocks = time ?? { now: clock?.now ?? now, elapsed };
  await prepareDays(database, { now: clocks.now() });
  const secrets = await loadSecrets(config, database);
  const seal = createRowSeal({ secret: secrets.session, isSealing: secrets.isSealed });
  return { context: createContext({ database, ...clocks, log, seal }), clock, secrets };
}

/**
 * Migrates the database with long timeouts. The timeouts of requests are seconds, which is too short to change a large
 * table, or to wait until another process has changed it.
 */
async function migrateDatabase(
  location: DatabaseLocation,
  database: Database,
): Promise<readonly string[]> {
  if (!(await needsMigration(database))) return [];
  const migrationDatabase = openWithLongTimeouts(location);
  try {
    return await migrate(migrationDatabase);
  } finally {
    await migrationDatabase.close();
  }
}
