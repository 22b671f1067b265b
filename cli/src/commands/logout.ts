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
  else terminal.print(login === null ? "Nobody is signed in." : describeLogout(login, isRevoked));
  return EXIT.ok;
};

function describeLogout({ url, email }: Login, isRevoked: boolean): string {
  const signedOut = `${plain(email)} is signed out of ${plain(url)}`;
  return isRevoked
    ? `${signedOut}, and the access token is revoked.`
    : `${signedOut} here. The access token stays valid: revoke it in the console.`;
}
