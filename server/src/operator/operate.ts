import { ConfigError, loadConfig, type Config } from "#config/config.ts";
import { LaterVersionError } from "#database/migration.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { AppError, listCauses } from "#errors.ts";
import { explainSealError, explainStartFailure } from "#process/start-failure.ts";
import { OperatorError } from "./operator-error.ts";

/** Returns the configuration in the environment; throws an `OperatorError` that lists its problems. */
export function loadOperatorConfig(): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new OperatorError("configuration", error.message, error);
  }
}

type OperationConfig = Pick<Config, "host" | "port" | "dataDir" | "database">;

/**
 * Runs an operation on an installation; throws an `OperatorError` for each `AppError`, and for each error that the
 * environment explains.
 */
export async function runOperation<T>(
  config: OperationConfig,
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (error instanceof AppError) throw toOperatorError(error);
    const reason = explainStartFailure(error, config);
    if (reason === null) throw error;
    throw new OperatorError(getFailureCode(error, config), reason, error);
  }
}

/** Returns the code of an explained failure, as operations use it that explain their failures themselves. */
function getFailureCode(error: unknown, { database }: OperationConfig): string {
  const causes = listCauses(error);
  if (causes.some((cause) => explainSealError(cause) !== null)) return "master_key";
  const isDatabaseFailure =
    causes.some((cause) => cause instanceof LaterVersionError) ||
    (database.kind === "postgres" && explainPostgresFailure(error, database) !== null);
  return isDatabaseFailure ? "database" : "data_folder";
}

function toOperatorError(error: AppError): OperatorError {
  const { code, message, field } = error;
  const isUsage = code === "invalid_field" || code === "invalid_email";
  return new OperatorError(code, message, error, { field, isUsage });
}
