import { makeResetLink } from "@tocsin/server/operator/accounts.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { ACCOUNT_RESET } from "../descriptions/operators.ts";
import { localTime } from "../local-time.ts";
import { operate, operatorConfig } from "../operator-command.ts";

/** `tocsin account reset`. */
export const accountReset: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: ACCOUNT_RESET.options });
  const { email } = values;
  if (email === undefined) throw usageError("Give --email.");
  const config = operatorConfig();
  const resetLink = await operate(config, () => makeResetLink({ config, now: Date.now }, email));
  const { accountId, link, expiresAt, isSuspended } = resetLink;
  if (values.json === true) terminal.printJson({ accountId, link, expiresAt });
  else {
    terminal.print(`Account  ${accountId}`);
    terminal.print(`Link     ${terminal.style("bold", link)}`);
    terminal.print(`Expires  ${localTime(expiresAt)}, or with its first use`);
  }
  if (isSuspended) {
    terminal.note("The account is suspended: it cannot sign in until an administrator opens it.");
  }
  return EXIT.ok;
};
