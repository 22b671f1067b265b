import { hostname } from "node:os";
import { createClient, TocsinError, type Client, type IssuedAccessToken } from "@tocsin/sdk";
import { CommandError } from "./command.ts";
import type { Login } from "./login-file.ts";
import { sanitize, type Terminal } from "./terminal.ts";

/** The sources of a sign-in's credentials, called in the order of the sign-in. */
export interface CredentialSources {
  readonly email: () => Promise<string>;
  readonly password: () => Promise<string>;
  /** A two-factor code. A wrong one is requested again, up to `codesMax` times in total. */
  readonly code: () => Promise<string>;
  readonly codesMax: number;
}

/** Signs in at the server, creates an access token, and ends the session. */
export async function signIn(
  { url, credentials }: { readonly url: string; readonly credentials: CredentialSources },
  terminal: Terminal,
): Promise<Login> {
  const client = createClient({ baseUrl: url });
  // Detects a wrong address before a password is typed for it.
  await client.signInMethods();
  await openSession(client, credentials);
  try {
    const { id: accountId, email } = await client.me();
    // The last request, so that no failure leaves an unknown token behind.
    const { id: tokenId, token } = await createToken(client);
    return { url, accountId, email, token, tokenId };
  } finally {
    await endSession(client, terminal);
  }
}

/** Returns a login with an existing token; throws the server's error if the token is invalid. */
export async function signInWithToken(url: string, token: string): Promise<Login> {
  const { id: accountId, email } = await createClient({ baseUrl: url, accessToken: token }).me();
  return { url, accountId, email, token, tokenId: null };
}

/** Revokes the login's token, if `signIn` created it. Does nothing if it is already revoked. */
export async function revokeToken({ url, token, tokenId }: Login): Promise<void> {
  if (tokenId === null) return;
  try {
    await createClient({ baseUrl: url, accessToken: token }).accessTokens.remove(tokenId);
  } catch (error) {
    const hasTokenEnded = error instanceof TocsinError && ENDED_TOKEN_CODES.includes(error.code);
    if (!hasTokenEnded) throw error;
  }
}

const ENDED_TOKEN_CODES: readonly string[] = ["unauthenticated", "not_found"];

async function openSession(client: Client, credentials: CredentialSources): Promise<void> {
  const email = await credentials.email();
  const password = await credentials.password();
  const { twoFactorToken } = await signInWithPassword(client, { email, password });
  if (twoFactorToken === null) return;
  for (let attemptsLeft = credentials.codesMax; ; attemptsLeft -= 1) {
    try {
      await client.signInWithCode({ token: twoFactorToken, code: await credentials.code() });
      return;
    } catch (error) {
      const isWrong = error instanceof TocsinError && error.field === "code";
      if (!isWrong || attemptsLeft <= 1) throw error;
    }
  }
}

async function signInWithPassword(client: Client, input: Parameters<Client["signIn"]>[0]) {
  try {
    return await client.signIn(input);
  } catch (error) {
    if (!(error instanceof TocsinError) || error.code !== "unauthenticated") throw error;
    const { code, requestId } = error;
    const hint = "An account without a password signs in with --token-stdin.";
    const message = `The server refused: ${sanitize(error.message)} ${hint}`;
    throw new CommandError(message, { exit: "refused", code, requestId, cause: error });
  }
}

const HOST_MAX_CHARACTERS = 64;

/** Creates an access token with this machine's name as its label, so that its owner recognizes it in the console. */
function createToken(client: Client): Promise<IssuedAccessToken> {
  const host = sanitize(hostname()).slice(0, HOST_MAX_CHARACTERS);
  return client.accessTokens.create({ label: `tocsin on ${host}` });
}

async function endSession(client: Client, terminal: Terminal): Promise<void> {
  try {
    await client.signOut();
  } catch {
    // The unused session expires by itself.
    terminal.printNote("The session of this sign-in could not be ended. End it in the console.");
  }
}
