import { EXIT, parseOptions, type Command } from "../command.ts";
import { LOGOUT } from "../descriptions/callers.ts";
import { readLogin, removeLogin, type Login } from "../login-file.ts";
import { revoke } from "../sign-in.ts";
import { plain } from "../terminal.ts";

/** `tocsin logout`. */
export const logout: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: LOGOUT.options });
  const login = await readLogin();
  const isRevoked = login !== null && login.tokenId !== null && values.offline !== true;
  if (isRevoked) await revoke(login);
  await removeLogin();
  if (values.json === true) terminal.printJson({ isForgotten: login !== null, isRevoked });
  else terminal.print(login === null ? "Nobody is signed in." : toldOf(login, isRevoked));
  return EXIT.ok;
};

function toldOf({ url, email }: Login, isRevoked: boolean): string {
  const who = `${plain(email)} is signed out of ${plain(url)}`;
  return isRevoked
    ? `${who}, and the access token is revoked.`
    : `${who} here. The access token stays valid: revoke it in the console.`;
}
