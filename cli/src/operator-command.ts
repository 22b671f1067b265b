import {
  runOperation as run,
  loadOperatorConfig as readConfig,
} from "@tocsin/server/operator/operate.ts";
import { OperatorError } from "@tocsin/server/operator/operator-error.ts";
import { CommandError } from "./command.ts";

type Config = ReturnType<typeof readConfig>;

/** Returns the configuration in the environment; throws a `CommandError` that lists its problems. */
export function readOperatorConfig(): Config {
  try {
    return readConfig();
  } catch (error) {
    throw toCommandError(error);
  }
}

/** Runs an operation directly on a database; throws a `CommandError` for each error that an operator can fix. */
export async function runAsOperator<T>(config: Config, operation: () => Promise<T>): Promise<T> {
  try {
    return await run(config, operation);
  } catch (error) {
    throw toCommandError(error);
  }
}

function toCommandError(error: unknown): unknown {
  if (!(error instanceof OperatorError)) return error;
  const { message, code, field, isUsage } = error;
  return new CommandError(message, {
    exit: isUsage ? "usage" : "failed",
    code,
    field,
    cause: error,
  });
}
