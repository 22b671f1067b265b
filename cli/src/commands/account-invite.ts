import { inviteByLink } from "@tocsin/server/operator/accounts.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { ACCOUNT_INVITE } from "../descriptions/operators.ts";
import { formatLocalTime } from "../local-time.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";

/** Creates a link to sign up: `tocsin account invite`. */
export const accountInviteCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: ACCOUNT_INVITE.options });
  const { email = null } = values;
  const config = readOperatorConfig();
  const invitation = await runAsOperator(config, () =>
    inviteByLink({ config, now: Date.now }, email),
  );
  if (values.json === true) terminal.printJson(invitation);
  else {
    terminal.print(
      `For      ${invitation.email ?? "any address: whoever holds the link can use it"}`,
    );
    terminal.print(`Link     ${terminal.style("bold", invitation.link)}`);
    terminal.print(`Expires  ${formatLocalTime(invitation.expiresAt)}, or with its first use`);
  }
  return EXIT.ok;
};
