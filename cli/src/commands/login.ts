import { TocsinConnectionError, TocsinError } from "@tocsin/sdk";
import { CommandError, EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { LOGIN } from "../descriptions/session.ts";
import { readServerUrl } from "../environment.ts";
import {
  getLoginPath,
  prepareLoginFolder,
  readLogin,
  writeLogin,
  type Login,
} from "../login-file.ts";
import { parseAddressForSecret, DEFAULT_SERVER_URL } from "../server-address.ts";
import { revokeToken, signIn, signInWithToken, type CredentialSources } from "../sign-in.ts";
import { readLines } from "../standard-input.ts";
import { sanitize, type Terminal } from "../terminal.ts";
import { withPrompts } from "../terminal-prompts.ts";

/** Signs in and stores the access token: `tocsin login`. */
export const loginCommand: Command = async (args, terminal) => {
  const request = parseRequest(args);
  await prepareLoginFolder();
  const previousLogin = await readPreviousLogin();
  const login = await signInWith(request, terminal);
  await storeLogin(login, terminal);
  if (previousLogin !== null && previousLogin.token !== login.token)
    await revokeOrWarn(previousLogin, terminal);
  printLogin(login, { isJson: request.isJson, terminal });
  return EXIT.ok;
};

interface LoginRequest {
  readonly url: string;
  readonly email: string | null;
  readonly credential: "prompted" | "password" | "token";
  readonly isJson: boolean;
}

function parseRequest(args: readonly string[]): LoginRequest {
  const { values } = parseOptions({ args, options: LOGIN.options });
  const { email = null, json = false } = values;
  const isPassword = values["password-stdin"] === true;
  const isToken = values["token-stdin"] === true;
  if (isPassword && isToken) throw usageError("Give --password-stdin or --token-stdin, not both.");
  if (isToken && email !== null)
    throw usageError("A token belongs to one account: leave --email out.");
  if (isPassword && email === null) throw usageError("Give --email with --password-stdin.");
  const credential = isToken ? "token" : isPassword ? "password" : "prompted";
  if (credential === "prompted" && !process.stdin.isTTY) {
    throw usageError("There is no terminal to ask on: give --password-stdin or --token-stdin.");
  }
  if (credential !== "prompted" && process.stdin.isTTY) {
    throw usageError(
      `--${credential}-stdin reads a pipe or a file. On a terminal, others could see what you type.`,
    );
  }
  const allowsHttp = values["allow-http"] === true;
  const serverUrl = values.url ?? readServerUrl() ?? DEFAULT_SERVER_URL;
  const url = parseAddressForSecret(serverUrl, {
    secret: "the password and the token",
    allowsHttp,
  });
  return { url, email, credential, isJson: json };
}

/** Returns the stored login; null also for an invalid file, which is then replaced. */
async function readPreviousLogin(): Promise<Login | null> {
  try {
    return await readLogin();
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}

const INPUT_MAX_BYTES = 8_192;
/** The server accepts this many wrong codes for one sign-in. */
const CODES_MAX = 5;

function signInWith({ url, email, credential }: LoginRequest, terminal: Terminal): Promise<Login> {
  if (credential === "prompted") {
    return withPrompts(({ prompt, promptHidden }) => {
      const credentials: CredentialSources = {
        email: async () => email ?? (await prompt("Email address: ")),
        password: () => promptHidden("Password: "),
        code: () => promptHidden("Two-factor code: "),
        codesMax: CODES_MAX,
      };
      return signIn({ url, credentials }, terminal);
    });
  }
  return withInputLines(async (nextLine) => {
    if (credential === "token")
      return signInWithToken(url, parseToken(await nextLine("the access token")));
    const credentials: CredentialSources = {
      email: async () => email ?? "",
      password: () => nextLine("the password"),
      code: () => nextLine("a two-factor code in the second line"),
      codesMax: 1,
    };
    return signIn({ url, credentials }, terminal);
  });
}

/** Runs `work` with a function that reads the next line of standard input. A missing or empty line is a usage error. */
async function withInputLines<T>(
  work: (nextLine: (inputName: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const lines = readLines(INPUT_MAX_BYTES);
  try {
    return await work(async (inputName) => {
      const { value, done } = await lines.next();
      if (done === true || value === "") throw usageError(`Standard input must give ${inputName}.`);
      return value;
    });
  } finally {
    await lines.return();
  }
}

/** Returns an access token. Rejects other text: it may be a password, which must not appear in a request header. */
function parseToken(text: string): string {
  if (/^tat_[A-Za-z0-9_-]{27}$/.test(text.trim())) return text.trim();
  throw usageError(
    'This is not an access token. Tokens begin with "tat_"; create one in the console.',
  );
}

/** Stores the login. If that fails, revokes the token if `signIn` created it, because nothing else knows it. */
async function storeLogin(login: Login, terminal: Terminal): Promise<void> {
  try {
    await writeLogin(login);
  } catch (error) {
    await revokeOrWarn(login, terminal);
    throw error;
  }
}

async function revokeOrWarn(login: Login, terminal: Terminal): Promise<void> {
  try {
    await revokeToken(login);
  } catch (error) {
    if (!(error instanceof TocsinError || error instanceof TocsinConnectionError)) throw error;
    const consoleName = `the console of ${sanitize(login.url)}`;
    terminal.printNote(
      `An access token of this machine could not be revoked. Revoke it in ${consoleName}.`,
    );
  }
}

function printLogin(
  { url, accountId, email }: Login,
  { isJson, terminal }: { readonly isJson: boolean; readonly terminal: Terminal },
): void {
  const file = getLoginPath();
  if (isJson) return terminal.printJson({ url, accountId, email, file });
  terminal.print(`Signed in at ${url} as ${terminal.style("bold", sanitize(email))}.`);
  terminal.print(`The access token is in ${file}, which only you can read.`);
}
