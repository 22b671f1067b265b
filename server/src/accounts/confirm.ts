import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Auth } from "./auth.ts";
import { countGuess, type Guesser, type Guesses } from "./guesses.ts";
import { isPairedSession } from "./pairings/store.ts";
import { findPasswordHash } from "./store/accounts.ts";

/** The dependencies of confirming a person's presence. */
export interface ConfirmDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "isPassword">;
  /** The limits of wrong passwords. */
  readonly passwords: Guesses;
}

/** The caller, and the password if one was given. */
export interface Confirmation {
  readonly accountId: string;
  /** Null for an access token. */
  readonly session: { readonly id: string; readonly openedAt: number } | null;
  readonly password: string | null;
}

/** How long after signing in a person is not asked again. */
const FRESH_MS = 10 * 60_000;

/**
 * Accepts the account's password, or a recent sign-in. Throws `invalid_field` for a wrong password and
 * `password_required` for a missing one.
 */
export async function requirePresence(deps: ConfirmDeps, input: Confirmation): Promise<void> {
  if (input.password === null && (await isFresh(deps.context, input))) return;
  await requireRight(deps, input);
}

/**
 * Returns the counter for wrong passwords and codes of a signed-in caller. A session opened by a proof has tries of its
 * own, which the holder of another one cannot use up; a paired browser, and a program, count as strangers.
 */
export async function guesserOf(
  context: Context,
  { accountId, session }: Pick<Confirmation, "accountId" | "session">,
): Promise<Guesser> {
  const isOwn = session !== null && !(await isPairedSession(context, session.id));
  return { account: accountId, known: isOwn ? `session ${session.id}` : null, network: null };
}

/** Accepts every caller but a paired browser, which must give the password. Throws as `requirePresence`. */
export async function requireOwnSignIn(deps: ConfirmDeps, input: Confirmation): Promise<void> {
  const { session } = input;
  if (session === null || !(await isPairedSession(deps.context, session.id))) return;
  await requireRight(deps, input);
}

/**
 * Refuses a paired browser, which could deprive the owner of their own ways to sign in: throws `forbidden`. A program
 * passes, as its token was created by a person who had signed in.
 */
export async function refusePaired(
  context: Context,
  session: Confirmation["session"],
): Promise<void> {
  if (session === null || !(await isPairedSession(context, session.id))) return;
  const message = "Sign in here yourself to do this: this browser was added by another one.";
  throw new AppError("forbidden", message);
}

/** Accepts the account's password; if it has none, a recent sign-in. Throws as `requirePresence`. */
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

/** A paired browser has proved nothing yet, however new its session is. */
async function isFresh(context: Context, { session }: Confirmation): Promise<boolean> {
  if (session === null || context.now() - session.openedAt > FRESH_MS) return false;
  return !(await isPairedSession(context, session.id));
}
