import { runOperation, loadOperatorConfig } from "@tocsin/server/operator/operate.ts";
import { OperatorError } from "@tocsin/server/operator/operator-error.ts";
import { CommandError } from "./command.ts";

type Config = ReturnType<typeof loadOperatorConfig>;

/** Returns the configuration in the environment; throws a `CommandError` that lists its problems. */
export function readOperatorConfig(): Config {
  try {
    return loadOperatorConfig();
  } catch (error) {
    throw explainOperatorError(error);
  }
}

/** Runs an operation directly on a database; throws a `CommandError` for each error that an operator can fix. */
export async function runAsOperator<T>(config: Config, operation: () => Promise<T>): Promise<T> {
  try {
    return await runOperation(config, operation);
  } catch (error) {
    throw explainOperatorError(error);
  }
}

/** Returns the error as a `CommandError` if an operator can fix it, and any other error unchanged. */
function explainOperatorError(error: unknown): unknown {
  if (!(error instanceof OperatorError)) return error;
  const { message, code, field, isUsage } = error;
  return new CommandError(message, {
    exit: isUsage ? "usage" : "failed",
    code,
    field,
    cause: error,
  });
}
