import type { NewApiKey } from "@tocsin/sdk";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { KEY_CREATE } from "../descriptions/account-holders.ts";
import { teamIdOf } from "../named.ts";
import { signedIn } from "../signed-in.ts";
import { parseTime } from "../time-option.ts";

/** `tocsin key create`. */
export const keyCreate: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: KEY_CREATE.options });
  const { label, team } = values;
  const now = Date.now();
  const expires = parseTime(values.expires, { option: "--expires", now, spans: "ahead" });
  if (expires !== null && expires <= now) throw usageError("--expires is a time in the future.");
  const { client } = await signedIn(values, terminal);
  const shared = {
    ...(label === undefined ? {} : { label }),
    ...(expires === null ? {} : { expiresAt: new Date(expires).toISOString() }),
    postOnly: values["post-only"] === true,
  };
  const request: NewApiKey =
    team === undefined
      ? { kind: "account", ...shared }
      : { kind: "team", teamId: await teamIdOf(client, team), ...shared };
  const made = await client.keys.create(request);
  if (values.json === true) terminal.printJson(made);
  else {
    terminal.print(`API key  ${terminal.style("bold", made.key)}  (shown this once: keep it)`);
    terminal.print(`Id       ${made.id}  (for tocsin key revoke)`);
  }
  return EXIT.ok;
};
