import type { Config } from "@tocsin/server/config.ts";
import { AppError } from "@tocsin/server/errors.ts";
import { createAccountWithKey, type FirstKey } from "@tocsin/server/operator.ts";
import { explainStartFailure } from "@tocsin/server/start-failure.ts";
import { CommandError, EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { ACCOUNT_CREATE } from "../descriptions/operators.ts";
import { operatorConfig } from "../operator-command.ts";
import { readNewPassword } from "../password.ts";

/** `tocsin account create`. */
export const accountCreate: Command = async (args, terminal) => {
  const { email, name, isAdmin, isJson } = parse(args);
  const config = operatorConfig();
  const password = await readNewPassword();
  const made = await create(config, { email, name, password, isAdmin });
  if (isJson) {
    terminal.printJson(made);
  } else {
    terminal.print(`Account  ${made.accountId}`);
    terminal.print(`API key  ${terminal.style("bold", made.key)}  (shown this once: keep it)`);
  }
  return EXIT.ok;
};

function parse(args: readonly string[]) {
  const { values } = parseOptions({ args, options: ACCOUNT_CREATE.options });
  const { email, name, admin = false, json = false } = values;
  if (email === undefined || name === undefined) throw usageError("Give --email and --name.");
  return { email, name, isAdmin: admin, isJson: json };
}

async function create(
  config: Config,
  request: Parameters<typeof createAccountWithKey>[1],
): Promise<FirstKey> {
  try {
    return await createAccountWithKey({ config, now: Date.now }, request);
  } catch (error) {
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
