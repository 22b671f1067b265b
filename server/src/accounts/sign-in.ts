import { SERVER } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Auth } from "./auth.ts";
import type { Caller } from "./caller.ts";
import { insertChallenge } from "./store/challenges.ts";
import { countGuess, type GuessLimits } from "./guesses.ts";
import { toNetwork } from "./attempt-limit.ts";
import { endSession } from "./sessions/store/own-sessions.ts";
import { findAccountByEmail, findPasswordHash } from "./store/accounts.ts";
import { isTwoFactorOn } from "./two-factor/two-factor.ts";

/** The result of the first factor: the sign-in is complete, or the holder of the token must send a code. */
export type FirstFactorResult =
  | { readonly kind: "complete"; readonly accountId: string }
  | { readonly kind: "code_required"; readonly token: string };

/** The account of a sign-in with a password, and the stored hash of the account's password; null if it has none. */
interface PasswordProof {
  readonly accountId: string;
  readonly passwordHash: string | null;
}

interface OpenedSession {
  readonly sessionId: string;
}

/** Time to enter the code. After that the password is required again. */
const CODE_TTL_MS = 10 * 60_000;

/** The dependencies of `verifyFirstFactor`. */
export interface FirstFactorDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "isCorrectPassword" | "knownBrowsers">;
  /** The limits of wrong passwords. */
  readonly passwordGuesses: GuessLimits;
}

/**
 * Checks email address and password. Throws the same `unauthenticated`, after the same time, for an unknown address
 * and a wrong password. Throws `rate_limited` after many failures, whether the account exists or not.
 */
export async function verifyFirstFactor(
  { context, auth, passwordGuesses }: FirstFactorDeps,
  input: { readonly email: string; readonly password: string; readonly caller: Caller },
): Promise<FirstFactorResult & Pick<PasswordProof, "passwordHash">> {
  const { email, password, caller } = input;
  const account = await findAccountByEmail(context, email);
  const accountId = account?.id ?? "";
  const passwordHash = await findPasswordHash(context, accountId);
  const knownCaller = auth.knownBrowsers.findId(caller, { accountId, passwordHash });
  const guessKeys = {
    accountKey: account?.id ?? email,
    knownCaller,
    network: toNetwork(caller.ip),
  };
  await countGuess(passwordGuesses, guessKeys, async () => {
    if (!(await auth.isCorrectPassword(accountId, password))) throw createWrongPasswordError();
  });
  const result = await requestSecondFactor(context, accountId);
  await requireSamePassword(context, { accountId, passwordHash });
  return { ...result, passwordHash };
}

/**
 * Opens a session after a sign-in with a password. Throws `unauthenticated` if the password was changed meanwhile,
 * because a new password ends all sessions.
 */
export async function openSessionByPassword<Session extends OpenedSession>(
  context: Context,
  {
    accountId,
    passwordHash,
    openSession,
  }: PasswordProof & { readonly openSession: () => Promise<Session> },
): Promise<Session> {
  const session = await openSession();
  try {
    await requireSamePassword(context, { accountId, passwordHash });
  } catch (error) {
    await endSession(context, { accountId, id: session.sessionId, actor: SERVER });
    throw error;
  }
  return session;
}

/**
 * Returns the result of the first factor: complete, or with the token of a new challenge if the account also requires a
 * code.
 */
export async function requestSecondFactor(
  context: Context,
  accountId: string,
): Promise<FirstFactorResult> {
  if (!(await isTwoFactorOn(context, accountId))) return { kind: "complete", accountId };
  const challenge = { kind: "two_factor", accountId, content: "", ttlMs: CODE_TTL_MS } as const;
  return { kind: "code_required", token: await insertChallenge(context, challenge) };
}

async function requireSamePassword(
  context: Context,
  { accountId, passwordHash }: PasswordProof,
): Promise<void> {
  if ((await findPasswordHash(context, accountId)) !== passwordHash)
    throw createWrongPasswordError();
}

function createWrongPasswordError(): AppError {
  return new AppError("unauthenticated", "The email address or the password is wrong.");
}
