import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Auth } from "./auth.ts";
import { countGuess, type GuessKeys, type GuessLimits } from "./guesses.ts";
import { isPairedSession } from "./pairings/store.ts";
import { findPasswordHash } from "./store/accounts.ts";

/** The dependencies of password confirmation. */
export interface ConfirmationDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "isCorrectPassword">;
  /** The limits of wrong passwords. */
  readonly passwordGuesses: GuessLimits;
}

/** The caller, and the password if one was sent. */
export interface Confirmation {
  readonly accountId: string;
  /** Null for an access token. */
  readonly session: { readonly id: string; readonly openedAt: number } | null;
  readonly password: string | null;
}

/** Period after a sign-in during which no password is required. */
const RECENT_SIGN_IN_MS = 10 * 60_000;

/**
 * Requires the account's password or a recent sign-in. Throws `invalid_field` if the password is wrong,
 * `password_required` if it is missing, and `rate_limited` after too many wrong passwords.
 */
export async function requirePasswordOrRecentSignIn(
  deps: ConfirmationDeps,
  input: Confirmation,
): Promise<void> {
  if (input.password === null && (await isRecentSignIn(deps.context, input))) return;
  await requireCorrectPassword(deps, input);
}

/**
 * Returns the keys under which wrong passwords and codes of a signed-in caller are counted. A session opened with a
 * proof of identity has its own attempts, which the holder of another session cannot use up. Paired browsers and
 * programs count as strangers.
 */
export async function findGuessKeys(
  context: Context,
  { accountId, session }: Pick<Confirmation, "accountId" | "session">,
): Promise<GuessKeys> {
  const hasProof = session !== null && !(await isPairedSession(context, session.id));
  return {
    accountKey: accountId,
    knownCaller: hasProof ? `session ${session.id}` : null,
    network: null,
  };
}

/**
 * Requires the password from a paired browser. Accepts every other caller. Throws as `requirePasswordOrRecentSignIn`.
 */
export async function requirePasswordIfPaired(
  deps: ConfirmationDeps,
  input: Confirmation,
): Promise<void> {
  const { session } = input;
  if (session === null || !(await isPairedSession(deps.context, session.id))) return;
  await requireCorrectPassword(deps, input);
}

/**
 * Throws `forbidden` for a paired browser, which could remove the owner's sign-in methods. Accepts a program, because
 * its token was created by a person who had signed in.
 */
export async function requireUnpaired(
  context: Context,
  session: Confirmation["session"],
): Promise<void> {
  if (session === null || !(await isPairedSession(context, session.id))) return;
  const message = "Sign in here yourself to do this: this browser was added by another one.";
  throw new AppError("forbidden", message);
}

/**
 * Requires the account's password, or a recent sign-in if the account has no password. Throws as
 * `requirePasswordOrRecentSignIn`.
 */
export async function requirePassword(deps: ConfirmationDeps, input: Confirmation): Promise<void> {
  const hasPassword = (await findPasswordHash(deps.context, input.accountId)) !== null;
  if (!hasPassword && (await isRecentSignIn(deps.context, input))) return;
  await requireCorrectPassword(deps, input);
}

async function requireCorrectPassword(
  { context, auth, passwordGuesses }: ConfirmationDeps,
  { accountId, session, password }: Confirmation,
): Promise<void> {
  if (password === null) {
    const message = "Enter your password, or sign in again, to do this.";
    throw new AppError("password_required", message, { field: "password" });
  }
  await countGuess(
    passwordGuesses,
    await findGuessKeys(context, { accountId, session }),
    async () => {
      if (await auth.isCorrectPassword(accountId, password)) return;
      throw invalidField("password", "password is wrong.");
    },
  );
}

/** A paired browser has not proved its identity, even if its session is new. */
async function isRecentSignIn(context: Context, { session }: Confirmation): Promise<boolean> {
  if (session === null || context.now() - session.openedAt > RECENT_SIGN_IN_MS) return false;
  return !(await isPairedSession(context, session.id));
}
