import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { KEY_REVOKE } from "../descriptions/account-holders.ts";
import { isId } from "../find-by-name.ts";
import { createSignedInClient } from "../signed-in-client.ts";

/** Revokes an API key: `tocsin key revoke`. */
export const keyRevokeCommand: Command = async (args, terminal) => {
  const { options } = KEY_REVOKE;
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const [id = "", ...more] = positionals;
  if (!isId(id) || more.length > 0) {
    throw usageError("Give the ID of one API key, as tocsin keys shows it, not the key itself.");
  }
  const { client } = await createSignedInClient(values, terminal);
  await client.keys.remove(id);
  if (values.json === true) terminal.printJson({ success: true, id });
  else terminal.print(`${id}  revoked`);
  return EXIT.ok;
};
