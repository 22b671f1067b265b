import { DIALECTS, type Dialect, type NewApiKey } from "@tocsin/sdk";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { KEY_CREATE } from "../descriptions/account-holders.ts";
import { findTeamId } from "../find-by-name.ts";
import { createSignedInClient } from "../signed-in-client.ts";
import { parseTime } from "../time-option.ts";

/** Creates an API key and prints it: `tocsin key create`. */
export const keyCreateCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: KEY_CREATE.options });
  const { label, team, channel } = values;
  const dialect = parseDialect(values.dialect);
  const now = Date.now();
  const expiresAt = parseTime(values.expires, {
    optionName: "--expires",
    now,
    durationDirection: "ahead",
  });
  if (expiresAt !== null && expiresAt <= now)
    throw usageError("--expires must be a time in the future.");
  const { client } = await createSignedInClient(values, terminal);
  const commonFields = {
    ...(label === undefined ? {} : { label }),
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    postOnly: values["post-only"] === true,
    ...(dialect === undefined ? {} : { dialect }),
    ...(channel === undefined ? {} : { channel }),
  };
  const request: NewApiKey =
    team === undefined
      ? { kind: "account", ...commonFields }
      : { kind: "team", teamId: await findTeamId(client, team), ...commonFields };
  const created = await client.keys.create(request);
  if (values.json === true) terminal.printJson(created);
  else {
    terminal.print(`API key  ${terminal.style("bold", created.key)}  (shown only now: keep it)`);
    terminal.print(`Id       ${created.id}  (for tocsin key revoke)`);
    if (created.userKey !== null)
      terminal.print(`User key ${created.userKey}  (no secret; for programs beside the API key)`);
  }
  return EXIT.ok;
};

function parseDialect(text: string | undefined): Dialect | undefined {
  if (text === undefined) return undefined;
  const dialect = DIALECTS.find((name) => name === text.toLowerCase());
  if (dialect !== undefined) return dialect;
  throw usageError(`--dialect is one of ${DIALECTS.join(", ")}.`);
}
