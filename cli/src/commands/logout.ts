import { EXIT, parseOptions, type Command } from "../command.ts";
import { LOGOUT } from "../descriptions/session.ts";
import { readLogin, removeLogin, type Login } from "../login-file.ts";
import { revokeToken } from "../sign-in.ts";
import { sanitize } from "../terminal.ts";

/** Revokes and removes the stored access token: `tocsin logout`. */
export const logoutCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: LOGOUT.options });
  const login = await readLogin();
  const isRevoked = login !== null && login.tokenId !== null && values.offline !== true;
  if (isRevoked) await revokeToken(login);
  await removeLogin();
  if (values.json === true) terminal.printJson({ isForgotten: login !== null, isRevoked });
  else terminal.print(login === null ? "Nobody is signed in." : describeLogout(login, isRevoked));
  return EXIT.ok;
};

function describeLogout({ url, email }: Login, isRevoked: boolean): string {
  const signedOut = `${sanitize(email)} is signed out of ${sanitize(url)}`;
  return isRevoked
    ? `${signedOut}, and the access token is revoked.`
    : `${signedOut} here. The access token stays valid: revoke it in the console.`;
}
