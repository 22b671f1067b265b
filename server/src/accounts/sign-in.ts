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

/** Result of the first factor: it is enough, or the holder of the token must give a code. */
export type FirstFactor =
  | { readonly kind: "enough"; readonly accountId: string }
  | { readonly kind: "code_wanted"; readonly token: string };

/** The password that was given, in its stored form. */
interface PasswordProof {
  readonly accountId: string;
  readonly passwordHash: string | null;
}

interface OpenedSession {
  readonly sessionId: string;
}

/** Time to give the code; after it the password must be typed again. */
const CODE_LIFE_MS = 10 * 60_000;

/** Dependencies of the first factor. */
export interface FirstFactorDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "isPassword" | "browsers">;
  /** Wrong passwords. */
  readonly passwords: Guesses;
}

/**
 * Checks address and password. Throws `unauthenticated`, with the same words after the same time, for an unknown address and a wrong
 * password, and `rate_limited` after many failures, whether there is such an account or not.
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
  const passed = await askSecondFactor(context, accountId);
  await requireSamePassword(context, { accountId, passwordHash });
  return { ...passed, passwordHash };
}

/**
 * Opens a session after a password was given. A new password ends all sessions, and this one too if it was set meanwhile: throws
 * `unauthenticated` then.
 */
export async function openByPassword<Session extends OpenedSession>(
  context: Context,
  { accountId, passwordHash, open }: PasswordProof & { readonly open: () => Promise<Session> },
): Promise<Session> {
  const session = await open();
  try {
    await requireSamePassword(context, { accountId, passwordHash });
  } catch (error) {
    await removeSession(context, { accountId, id: session.sessionId, by: SERVER });
    throw error;
  }
  return session;
}

/** Returns whether a code is wanted too; if so, stores a challenge for it. */
export async function askSecondFactor(context: Context, accountId: string): Promise<FirstFactor> {
  if (!(await isTwoFactorOn(context, accountId))) return { kind: "enough", accountId };
  const question = { kind: "two_factor", accountId, content: "", lifeMs: CODE_LIFE_MS } as const;
  return { kind: "code_wanted", token: await insertChallenge(context, question) };
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
