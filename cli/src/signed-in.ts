import { createClient, type Client } from "@tocsin/sdk";
import { usageError } from "./command.ts";
import { accessTokenOfEnvironment, urlOfEnvironment } from "./environment.ts";
import { isReadableByOthers, loginPath, readLogin } from "./login-file.ts";
import { addressForSecret, isSameServer, URL_DEFAULT } from "./server-address.ts";
import type { Terminal } from "./terminal.ts";

/** A client that acts as the signed-in account, and the URL of its server. */
export interface SignedInClient {
  readonly client: Client;
  readonly url: string;
}

/** A header value without spaces (RFC 9110 section 5.5). */
const HEADER_VALUE = /^[!-~]+$/;

/** The options of every command that acts as the signed-in account. */
export interface SignedInOptions {
  readonly url?: string | undefined;
  readonly "allow-http"?: boolean | undefined;
}

/**
 * Returns a client with the token in the environment, otherwise with the stored login; throws a usage error without
 * either.
 */
export async function signedInClient(
  options: SignedInOptions,
  terminal: Terminal,
): Promise<SignedInClient> {
  const url = options.url ?? urlOfEnvironment();
  const token = accessTokenOfEnvironment();
  if (token !== null && !HEADER_VALUE.test(token)) {
    throw usageError(
      "TOCSIN_ACCESS_TOKEN is no access token. A token begins with tat_; the console makes them.",
    );
  }
  if (token !== null) {
    const allowsHttp = options["allow-http"] === true;
    return createSignedInClient(
      addressForSecret(url ?? URL_DEFAULT, { secret: "the access token", allowsHttp }),
      token,
    );
  }
  const login = await readLogin();
  if (login === null) {
    throw usageError("Nobody is signed in. Run tocsin login, or set TOCSIN_ACCESS_TOKEN.");
  }
  if (url !== null && !isSameServer(url, login.url)) {
    throw usageError(
      `The login is for ${login.url}, and its token is sent to no other server. Sign in to the other server with tocsin login --url.`,
    );
  }
  if (await isReadableByOthers()) {
    terminal.note(
      `Others can read ${loginPath()}, which holds your access token. Run chmod 600 on it, and sign in again.`,
    );
  }
  // An http: URL was allowed at the login.
  return createSignedInClient(login.url, login.token);
}

function createSignedInClient(url: string, accessToken: string): SignedInClient {
  return { url, client: createClient({ baseUrl: url, accessToken }) };
}
