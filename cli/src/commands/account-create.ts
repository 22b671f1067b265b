import { createAccountWithKey } from "@tocsin/server/operator/create-account-with-key.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { ACCOUNT_CREATE } from "../descriptions/operators.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";
import { readNewPassword } from "../password.ts";

/** Creates an account with an API key: `tocsin account create`. */
export const accountCreateCommand: Command = async (args, terminal) => {
  const { email, name, isAdmin, isJson } = parseRequest(args);
  const config = readOperatorConfig();
  const password = await readNewPassword();
  const request = { email, name, password, isAdmin };
  const created = await runAsOperator(config, () =>
    createAccountWithKey({ config, now: Date.now }, request),
  );
  if (isJson) {
    terminal.printJson(created);
  } else {
    terminal.print(`Account  ${created.accountId}`);
    terminal.print(`API key  ${terminal.style("bold", created.key)}  (shown only now: keep it)`);
  }
  return EXIT.ok;
};

function parseRequest(args: readonly string[]) {
  const { values } = parseOptions({ args, options: ACCOUNT_CREATE.options });
  const { email, name, admin = false, json = false } = values;
  if (email === undefined || name === undefined) throw usageError("Give --email and --name.");
  return { email, name, isAdmin: admin, isJson: json };
}
