import { createClient, type Client } from "@tocsin/sdk";
import { usageError } from "./command.ts";
import { accessTokenOfEnvironment, urlOfEnvironment } from "./environment.ts";
import { isReadableByOthers, loginPath, readLogin } from "./login-file.ts";
import { addressFor, isSameServer, URL_DEFAULT } from "./server-address.ts";
import type { Terminal } from "./terminal.ts";

/** A client of the signed-in person, and its server. */
export interface SignedIn {
  readonly client: Client;
  readonly url: string;
}

/** The characters of a header (RFC 9110 section 5.5), without spaces. */
const HEADER_TEXT = /^[!-~]+$/;

/** The options of every command that acts as the signed-in person. */
export interface SignedInOptions {
  readonly url?: string | undefined;
  readonly "allow-http"?: boolean | undefined;
}

/** Returns the client of the environment's token, else of the login; throws a usage error if nobody is signed in. */
export async function signedIn(options: SignedInOptions, terminal: Terminal): Promise<SignedIn> {
  const given = options.url ?? urlOfEnvironment();
  const token = accessTokenOfEnvironment();
  if (token !== null && !HEADER_TEXT.test(token)) {
    throw usageError(
      "TOCSIN_ACCESS_TOKEN is no access token. A token begins with tat_; the console makes them.",
    );
  }
  if (token !== null) {
    const allowsHttp = options["allow-http"] === true;
    return clientOf(
      addressFor(given ?? URL_DEFAULT, { secret: "the access token", allowsHttp }),
      token,
    );
  }
  const login = await readLogin();
  if (login === null) {
    throw usageError("Nobody is signed in. Run tocsin login, or set TOCSIN_ACCESS_TOKEN.");
  }
  if (given !== null && !isSameServer(given, login.url)) {
    throw usageError(
      `The login is for ${login.url}, and its token is sent to no other server. Sign in to the other server with tocsin login --url.`,
    );
  }
  if (await isReadableByOthers()) {
    terminal.note(
      `Others can read ${loginPath()}, which holds your access token. Run chmod 600 on it, and sign in again.`,
    );
  }
  // If the scheme is http:, its owner allowed it at the login.
  return clientOf(login.url, login.token);
}

function clientOf(url: string, accessToken: string): SignedIn {
  return { url, client: createClient({ baseUrl: url, accessToken }) };
}
