import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Auth } from "./auth.ts";
import { countGuess, type Guesser, type Guesses } from "./guesses.ts";
import { isPairedSession } from "./pairings/store.ts";
import { findPasswordHash } from "./store/accounts.ts";

/** What asking a person again depends on. */
export interface ConfirmDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "isPassword">;
  /** Wrong passwords. */
  readonly passwords: Guesses;
}

/** Who asks, and the password where it was given. */
export interface Confirmation {
  readonly accountId: string;
  /** Null for an access token. */
  readonly session: { readonly id: string; readonly openedAt: number } | null;
  readonly password: string | null;
}

/** So long a person who just signed in is not asked again. */
const FRESH_MS = 10 * 60_000;

/**
 * Lets pass who gives the account's password, or just signed in. Throws `invalid_field` for a wrong password and
 * `password_required` where one is missing.
 */
export async function requirePresence(deps: ConfirmDeps, input: Confirmation): Promise<void> {
  if (input.password === null && (await isFresh(deps.context, input))) return;
  await requireRight(deps, input);
}

/**
 * Returns by what wrong passwords and codes of somebody who is signed in are counted: a session that was opened by a proof has
 * tries of its own, which whoever holds another one cannot use up; a browser that was let in, and a program, are strangers.
 */
export async function guesserOf(
  context: Context,
  { accountId, session }: Pick<Confirmation, "accountId" | "session">,
): Promise<Guesser> {
  const isOwn = session !== null && !(await isPairedSession(context, session.id));
  return { account: accountId, known: isOwn ? `session ${session.id}` : null, network: null };
}

/** Lets pass all but a browser that another one vouched for, which must give the password. Throws as `requirePresence`. */
export async function requireOwnSignIn(deps: ConfirmDeps, input: Confirmation): Promise<void> {
  const { session } = input;
  if (session === null || !(await isPairedSession(deps.context, session.id))) return;
  await requireRight(deps, input);
}

/**
 * Refuses a browser that another one vouched for, which could take from the owner what lets them in: throws `forbidden`. A program
 * passes, as its token was made by a person who had signed in.
 */
export async function refusePaired(
  context: Context,
  session: Confirmation["session"],
): Promise<void> {
  if (session === null || !(await isPairedSession(context, session.id))) return;
  const message = "Sign in here yourself to do this: this browser was added by another one.";
  throw new AppError("forbidden", message);
}

/** Lets pass who gives the account's password; where it has none, who just signed in. Throws as `requirePresence`. */
export async function requirePassword(deps: ConfirmDeps, input: Confirmation): Promise<void> {
  const hasPassword = (await findPasswordHash(deps.context, input.accountId)) !== null;
  if (!hasPassword && (await isFresh(deps.context, input))) return;
  await requireRight(deps, input);
}

async function requireRight(
  { context, auth, passwords }: ConfirmDeps,
  { accountId, session, password }: Confirmation,
): Promise<void> {
  if (password === null) {
    const message = "Enter your password, or sign in again, to do this.";
    throw new AppError("password_required", message, { field: "password" });
  }
  await countGuess(passwords, await guesserOf(context, { accountId, session }), async () => {
    if (await auth.isPassword(accountId, password)) return;
    throw invalidField("password", "password is wrong.");
  });
}

/** A browser that another one vouched for has proved nothing yet, however new its session is. */
async function isFresh(context: Context, { session }: Confirmation): Promise<boolean> {
  if (session === null || context.now() - session.openedAt > FRESH_MS) return false;
  return !(await isPairedSession(context, session.id));
}
