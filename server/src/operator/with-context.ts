import { pino } from "pino";
import type { Config } from "#config/config.ts";
import { createContext, type Context } from "#context.ts";
import { migrate } from "#database/migration.ts";
import type { Database } from "#database/database.ts";
import { openDatabase } from "#database/open.ts";
import { NO_SEAL } from "#secrets/row-seal.ts";
import { requireDatabase } from "./require-database.ts";

/** The database to work on, and the clock. */
export interface ContextDeps {
  readonly config: Pick<Config, "database">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const elapsed = () => performance.now();

/** Creates the context of an operator's command. The command must not write sealed rows. */
export function createOperatorContext(
  database: Database,
  { now, log }: Pick<Context, "now" | "log">,
): Context {
  return createContext({ database, now, elapsed, log, seal: NO_SEAL });
}

/**
 * Migrates an existing database to this version, and runs a function on it. A server may run meanwhile. The function
 * must not write sealed rows. Throws `OperatorError` if there is no database.
 */
export async function withContext<T>(
  { config, now }: ContextDeps,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  await requireDatabase(config.database);
  const log = pino({ level: "silent" });
  const database = openDatabase(config.database, log);
  try {
    await migrate(database);
    return await run(createOperatorContext(database, { now, log }));
  } finally {
    await database.close();
  }
}
