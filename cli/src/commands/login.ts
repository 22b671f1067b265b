import { TocsinConnectionError, TocsinError } from "@tocsin/sdk";
import { CommandError, EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { LOGIN } from "../descriptions/callers.ts";
import { urlOfEnvironment } from "../environment.ts";
import { loginPath, prepareFolder, readLogin, writeLogin, type Login } from "../login-file.ts";
import { addressFor, URL_DEFAULT } from "../server-address.ts";
import { revoke, signIn, signInWithToken, type Proofs } from "../sign-in.ts";
import { inputLines } from "../standard-input.ts";
import { plain, type Terminal } from "../terminal.ts";
import { withQuestions } from "../terminal-questions.ts";

/** `tocsin login`. */
export const login: Command = async (args, terminal) => {
  const order = parse(args);
  await prepareFolder();
  const earlier = await earlierLogin();
  const login = await signInAsAsked(order, terminal);
  await store(login, terminal);
  if (earlier !== null && earlier.token !== login.token) await revokeOrTell(earlier, terminal);
  tell(login, { isJson: order.isJson, terminal });
  return EXIT.ok;
};

interface LoginOrder {
  readonly url: string;
  readonly email: string | null;
  readonly proof: "asked for" | "password" | "token";
  readonly isJson: boolean;
}

function parse(args: readonly string[]): LoginOrder {
  const { values } = parseOptions({ args, options: LOGIN.options });
  const { email = null, json = false } = values;
  const isPassword = values["password-stdin"] === true;
  const isToken = values["token-stdin"] === true;
  if (isPassword && isToken) throw usageError("Give --password-stdin or --token-stdin, not both.");
  if (isToken && email !== null)
    throw usageError("A token belongs to one account: leave --email out.");
  if (isPassword && email === null) throw usageError("Give --email with --password-stdin.");
  const proof = isToken ? "token" : isPassword ? "password" : "asked for";
  if (proof === "asked for" && !process.stdin.isTTY) {
    throw usageError("There is no terminal to ask on: give --password-stdin or --token-stdin.");
  }
  if (proof !== "asked for" && process.stdin.isTTY) {
    throw usageError(
      `--${proof}-stdin reads a pipe or a file. On a terminal, others could see what you type.`,
    );
  }
  const allowsHttp = values["allow-http"] === true;
  const given = values.url ?? urlOfEnvironment() ?? URL_DEFAULT;
  const url = addressFor(given, { secret: "the password and the token", allowsHttp });
  return { url, email, proof, isJson: json };
}

/** An invalid file is replaced all the same. */
async function earlierLogin(): Promise<Login | null> {
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

function signInAsAsked({ url, email, proof }: LoginOrder, terminal: Terminal): Promise<Login> {
  if (proof === "asked for") {
    return withQuestions(({ ask, askSecretly }) => {
      const proofs: Proofs = {
        email: async () => email ?? (await ask("E-mail address: ")),
        password: () => askSecretly("Password: "),
        code: () => askSecretly("Code of two-factor sign-in: "),
        codesMax: CODES_MAX,
      };
      return signIn({ url, proofs }, terminal);
    });
  }
  return withInput(async (next) => {
    if (proof === "token") return signInWithToken(url, parseToken(await next("the access token")));
    const proofs: Proofs = {
      email: async () => email ?? "",
      password: () => next("the password"),
      code: () => next("a code of two-factor sign-in, in the second line"),
      codesMax: 1,
    };
    return signIn({ url, proofs }, terminal);
  });
}

/** Runs `work` with the lines of standard input, none of which may be empty. */
async function withInput<T>(
  work: (next: (wanted: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const lines = inputLines(INPUT_MAX_BYTES);
  try {
    return await work(async (wanted) => {
      const { value, done } = await lines.next();
      if (done === true || value === "") throw usageError(`Standard input must give ${wanted}.`);
      return value;
    });
  } finally {
    await lines.return();
  }
}

/** The server's form of tokens: other text may be a password, which must not get into a request header. */
function parseToken(text: string): string {
  if (/^tat_[A-Za-z0-9_-]{27}$/.test(text.trim())) return text.trim();
  throw usageError('This is no access token. A token begins with "tat_"; the console makes them.');
}

/** A token that cannot be stored would stay valid without anyone knowing it. */
async function store(login: Login, terminal: Terminal): Promise<void> {
  try {
    await writeLogin(login);
  } catch (error) {
    await revokeOrTell(login, terminal);
    throw error;
  }
}

async function revokeOrTell(login: Login, terminal: Terminal): Promise<void> {
  try {
    await revoke(login);
  } catch (error) {
    if (!(error instanceof TocsinError || error instanceof TocsinConnectionError)) throw error;
    const place = `the console of ${plain(login.url)}`;
    terminal.note(`An access token of this machine could not be revoked. Revoke it in ${place}.`);
  }
}

function tell(
  { url, accountId, email }: Login,
  { isJson, terminal }: { readonly isJson: boolean; readonly terminal: Terminal },
): void {
  const file = loginPath();
  if (isJson) return terminal.printJson({ url, accountId, email, file });
  terminal.print(`Signed in at ${url} as ${terminal.style("bold", plain(email))}.`);
  terminal.print(`The access token is in ${file}, which only you can read.`);
}
