import { createResetLinkByEmail } from "@tocsin/server/operator/accounts.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { ACCOUNT_RESET } from "../descriptions/operators.ts";
import { formatLocalTime } from "../local-time.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";

/** Creates a link to set a new password for an account: `tocsin account reset`. */
export const accountResetCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: ACCOUNT_RESET.options });
  const { email } = values;
  if (email === undefined) throw usageError("Give --email.");
  const config = readOperatorConfig();
  const resetLink = await runAsOperator(config, () =>
    createResetLinkByEmail({ config, now: Date.now }, email),
  );
  const { accountId, link, expiresAt, isSuspended } = resetLink;
  if (values.json === true) terminal.printJson({ accountId, link, expiresAt });
  else {
    terminal.print(`Account  ${accountId}`);
    terminal.print(`Link     ${terminal.style("bold", link)}`);
    terminal.print(`Expires  ${formatLocalTime(expiresAt)}, or with its first use`);
  }
  if (isSuspended) {
    terminal.printNote(
      "The account is suspended: it cannot sign in until an administrator opens it.",
    );
  }
  return EXIT.ok;
};
