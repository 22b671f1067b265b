import manifest from "../package.json" with { type: "json" };
import { createClient, type Client, type Fetch } from "@tocsin/sdk";
import { usageError } from "./command.ts";
import { readAccessToken, readServerUrl } from "./environment.ts";
import { isLoginReadableByOthers, getLoginPath, readLogin } from "./login-file.ts";
import { parseAddressForSecret, isSameServer, DEFAULT_SERVER_URL } from "./server-address.ts";
import type { Terminal } from "./terminal.ts";

/** A client that acts as the signed-in account, and the URL of its server. */
export interface SignedInClient {
  readonly client: Client;
  readonly url: string;
}

/** A header value without spaces (RFC 9110 section 5.5). */
const HEADER_VALUE_PATTERN = /^[!-~]+$/;

/** The options of every command that acts as the signed-in account. */
export interface SignedInOptions {
  readonly url?: string | undefined;
  readonly "allow-http"?: boolean | undefined;
}

/**
 * Returns a client with the token in the environment, otherwise with the stored login. Throws a usage error if there is
 * neither, or if the token must not be sent to this server.
 */
export async function createSignedInClient(
  options: SignedInOptions,
  terminal: Terminal,
): Promise<SignedInClient> {
  const url = options.url ?? readServerUrl();
  const token = readAccessToken();
  if (token !== null && !HEADER_VALUE_PATTERN.test(token)) {
    throw usageError(
      "TOCSIN_ACCESS_TOKEN does not hold an access token. Tokens begin with tat_; create one in the console.",
    );
  }
  if (token !== null) {
    const allowsHttp = options["allow-http"] === true;
    return toSignedInClient(
      parseAddressForSecret(url ?? DEFAULT_SERVER_URL, { secret: "the access token", allowsHttp }),
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
  if (await isLoginReadableByOthers()) {
    terminal.printNote(
      `Others can read ${getLoginPath()}, which holds your access token. Run chmod 600 on it, and sign in again.`,
    );
  }
  // An http: URL was allowed at the login.
  return toSignedInClient(login.url, login.token);
}

/** Returns whether there is an access token in the environment, or a stored login. */
export async function isSignedIn(): Promise<boolean> {
  return readAccessToken() !== null || (await readLogin()) !== null;
}

function toSignedInClient(url: string, accessToken: string): SignedInClient {
  return { url, client: createClient({ baseUrl: url, accessToken, fetch: fetchAsCommandLine }) };
}

/** Names the command line to the server, so that the history of an incident shows how somebody acted. */
const fetchAsCommandLine: Fetch = (url, init) => {
  const headers = new Headers(init.headers);
  headers.set("user-agent", `tocsin-cli/${manifest.version}`);
  return fetch(url, { ...init, headers });
};
