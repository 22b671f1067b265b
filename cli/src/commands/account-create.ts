import type { Config } from "@tocsin/server/config.ts";
import { AppError } from "@tocsin/server/errors.ts";
import { createAccountWithKey, type FirstKey } from "@tocsin/server/operator.ts";
import { explainStartFailure } from "@tocsin/server/start-failure.ts";
import { CommandError, EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { operatorConfig } from "../operator-command.ts";
import { readNewPassword } from "../password.ts";

const HELP = `Usage: tocsin account create --email EMAIL --name NAME [--admin] [--json]

Makes an account with a first API key, straight in the database of TOCSIN_DATA_DIR; the
server may run or not. The password is asked for, or read from a pipe:

  tocsin account create --email ann@example.org --name Ann --admin < password.txt

  --email EMAIL   address to sign in with
  --name NAME     name that other people read
  --admin         the account administers the server
  --json          print {"accountId", "key"}

The key is shown this once. Exit codes: 0 made, 1 not made, 2 wrong usage.`;

/** `tocsin account create`. */
export const accountCreate: Command = {
  help: HELP,
  async run(args, terminal) {
    const { email, name, admin, json } = parse(args);
    const config = operatorConfig();
    const password = await readNewPassword();
    const made = await create(config, { email, name, password, isAdmin: admin });
    if (json) {
      terminal.printJson(made);
    } else {
      terminal.print(`Account  ${made.accountId}`);
      terminal.print(`API key  ${terminal.style("bold", made.key)}  (shown this once: keep it)`);
    }
    return EXIT.ok;
  },
};

function parse(args: readonly string[]) {
  const { values } = parseOptions({
    args,
    options: {
      email: { type: "string" },
      name: { type: "string" },
      admin: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const { email, name, admin, json } = values;
  if (email === undefined || name === undefined) throw usageError("Give --email and --name.");
  return { email, name, admin, json };
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
