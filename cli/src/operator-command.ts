import { ConfigError, loadConfig, type Config } from "@tocsin/server/config.ts";
import { AppError } from "@tocsin/server/errors.ts";
import { OperatorError } from "@tocsin/server/operator/operator-error.ts";
import { explainStartFailure } from "@tocsin/server/start-failure.ts";
import { CommandError } from "./command.ts";

/** Returns the configuration in the environment; throws a failure that lists its problems. */
export function operatorConfig(): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CommandError(error.message, { exit: "failed", code: "configuration", cause: error });
  }
}

/** Runs an operation directly on a database, and throws failures that explain its errors. */
export async function operate<T>(config: Config, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OperatorError) {
      const { message, code } = error;
      const exit = code === "usage" ? "usage" : "failed";
      throw new CommandError(message, { exit, code, cause: error });
    }
    if (error instanceof AppError) {
      const { message, code, field } = error;
      const exit = code === "invalid_field" || code === "invalid_email" ? "usage" : "failed";
      throw new CommandError(message, { exit, code, field, cause: error });
    }
    const reason = explainStartFailure(error, config);
    if (reason === null) throw error;
    throw new CommandError(reason, { exit: "failed", code: "data_folder", cause: error });
  }
}
