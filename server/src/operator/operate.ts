import { ConfigError, loadConfig, type Config } from "#config/config.ts";
import { AppError } from "#errors.ts";
import { explainStartFailure } from "#process/start-failure.ts";
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

/** Runs an operation on an installation; throws an `OperatorError` for each error that has an explanation. */
export async function runOperation<T>(config: Config, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (error instanceof AppError) throw toOperatorError(error);
    const reason = explainStartFailure(error, config);
    if (reason === null) throw error;
    throw new OperatorError("data_folder", reason, error);
  }
}

function toOperatorError(error: AppError): OperatorError {
  const { code, message, field } = error;
  const isUsage = code === "invalid_field" || code === "invalid_email";
  return new OperatorError(code, message, error, { field, isUsage });
}
