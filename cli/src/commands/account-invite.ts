import { inviteByLink } from "@tocsin/server/operator/accounts.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { ACCOUNT_INVITE } from "../descriptions/operators.ts";
import { localTime } from "../local-time.ts";
import { operate, operatorConfig } from "../operator-command.ts";

/** `tocsin account invite`. */
export const accountInvite: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: ACCOUNT_INVITE.options });
  const { email = null } = values;
  const config = operatorConfig();
  const invitation = await operate(config, () => inviteByLink({ config, now: Date.now }, email));
  if (values.json === true) terminal.printJson(invitation);
  else {
    terminal.print(
      `For      ${invitation.email ?? "any address: whoever holds the link can use it"}`,
    );
    terminal.print(`Link     ${terminal.style("bold", invitation.link)}`);
    terminal.print(`Expires  ${localTime(invitation.expiresAt)}, or with its first use`);
  }
  return EXIT.ok;
};
