import { SERVER } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Auth } from "./auth.ts";
import type { Caller } from "./caller.ts";
import { insertChallenge } from "./store/challenges.ts";
import { countGuess, type Guesses } from "./guesses.ts";
import { networkOf } from "./limit.ts";
import { removeSession } from "./sessions/store/own-sessions.ts";
import { findAccountByEmail, findPasswordHash } from "./store/accounts.ts";
import { isTwoFactorOn } from "./two-factor/two-factor.ts";

/** The result of the first factor: the sign-in is complete, or the holder of the token must send a code. */
export type FirstFactor =
  | { readonly kind: "enough"; readonly accountId: string }
  | { readonly kind: "code_wanted"; readonly token: string };

/** The password of a sign-in, in its stored form. */
interface PasswordProof {
  readonly accountId: string;
  readonly passwordHash: string | null;
}

interface OpenedSession {
  readonly sessionId: string;
}

/** Time to enter the code. After that the password is required again. */
const CODE_TTL_MS = 10 * 60_000;

/** Dependencies of the first factor. */
export interface FirstFactorDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "isPassword" | "browsers">;
  /** The limits of wrong passwords. */
  readonly passwords: Guesses;
}

/**
 * Checks email address and password. Throws the same `unauthenticated`, after the same time, for an unknown address
 * and a wrong password. Throws `rate_limited` after many failures, whether the account exists or not.
 */
export async function passFirstFactor(
  { context, auth, passwords }: FirstFactorDeps,
  input: { readonly email: string; readonly password: string; readonly caller: Caller },
): Promise<FirstFactor & Pick<PasswordProof, "passwordHash">> {
  const { email, password, caller } = input;
  const account = await findAccountByEmail(context, email);
  const accountId = account?.id ?? "";
  const passwordHash = await findPasswordHash(context, accountId);
  const known = auth.browsers.idOf(caller, { accountId, passwordHash });
  const guesser = { account: account?.id ?? email, known, network: networkOf(caller.ip) };
  await countGuess(passwords, guesser, async () => {
    if (!(await auth.isPassword(accountId, password))) throw wrongPassword();
  });
  const factor = await askSecondFactor(context, accountId);
  await requireSamePassword(context, { accountId, passwordHash });
  return { ...factor, passwordHash };
}

/**
 * Opens a session after a sign-in with a password. Throws `unauthenticated` if the password was changed meanwhile,
 * because a new password ends all sessions.
 */
export async function openByPassword<Session extends OpenedSession>(
  context: Context,
  { accountId, passwordHash, open }: PasswordProof & { readonly open: () => Promise<Session> },
): Promise<Session> {
  const session = await open();
  try {
    await requireSamePassword(context, { accountId, passwordHash });
  } catch (error) {
    await removeSession(context, { accountId, id: session.sessionId, actor: SERVER });
    throw error;
  }
  return session;
}

/** Returns whether the account also requires a code. If so, stores a challenge for it. */
export async function askSecondFactor(context: Context, accountId: string): Promise<FirstFactor> {
  if (!(await isTwoFactorOn(context, accountId))) return { kind: "enough", accountId };
  const challenge = { kind: "two_factor", accountId, content: "", lifeMs: CODE_TTL_MS } as const;
  return { kind: "code_wanted", token: await insertChallenge(context, challenge) };
}

async function requireSamePassword(
  context: Context,
  { accountId, passwordHash }: PasswordProof,
): Promise<void> {
  if ((await findPasswordHash(context, accountId)) !== passwordHash) throw wrongPassword();
}

function wrongPassword(): AppError {
  return new AppError("unauthenticated", "The e-mail address or the password is wrong.");
}
