import { strangerAt } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Auth } from "../auth.ts";
import type { Caller } from "../caller.ts";
import { findChallenge, takeChallenge, tryChallenge } from "../store/challenges.ts";
import { guesserOf, type Confirmation } from "../confirm.ts";
import type { FailedSignIns } from "../failed-sign-ins.ts";
import { countGuess, type Guesses } from "../guesses.ts";
import { countFailures, networkOf } from "../limit.ts";
import type { Seal } from "../seal.ts";
import { findPasswordHash } from "../store/accounts.ts";
import { backupCodeHash, newBackupCodes } from "./backup-code.ts";
import {
  confirmTwoFactor,
  findTwoFactor,
  replaceBackupCodes,
  replaceUnconfirmed,
  spendBackupCode,
  spendStep,
} from "./store.ts";
import { matchStep, newTotpSecret, totpUri } from "./totp.ts";

/** The dependencies of second factors. */
export interface TwoFactorDeps {
  readonly context: Context;
  readonly seal: Seal;
  readonly auth: Pick<Auth, "browsers">;
  /** The limits of wrong codes of authenticator apps. */
  readonly codes: Guesses;
  readonly failed: FailedSignIns;
}

/** A new second factor, at the only moment at which its secrets are shown. */
export interface NewTwoFactor {
  readonly uri: string;
  /** In base32, to be typed if no QR code can be read. */
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** The most wrong codes in one sign-in, which then starts over with the password. */
const ATTEMPTS_MAX = 5;

/** Creates a second factor that takes effect once it is confirmed; throws `conflict` if one is in effect already. */
export async function beginTwoFactor(
  { context, seal }: TwoFactorDeps,
  { accountId, email }: { readonly accountId: string; readonly email: string },
): Promise<NewTwoFactor> {
  const secret = newTotpSecret();
  const backupCodes = newBackupCodes();
  const isStored = await replaceUnconfirmed(context, {
    accountId,
    secret: seal.close(secret, accountId),
    codeHashes: hashesOf(backupCodes),
  });
  if (!isStored) throw new AppError("conflict", "Two-factor sign-in is on. Turn it off first.");
  return { uri: totpUri({ secret, email }), secret, backupCodes };
}

/**
 * Puts the second factor into effect, by its first code; throws `invalid_field` for a wrong one, `conflict` if there is
 * nothing to confirm.
 */
export async function finishTwoFactor(
  deps: TwoFactorDeps,
  input: Pick<Confirmation, "accountId" | "session"> & {
    readonly code: string;
    readonly by: Actor;
  },
): Promise<void> {
  const { accountId, session, code, by } = input;
  const stored = await findTwoFactor(deps.context, accountId);
  if (stored === null || stored.isConfirmed) {
    throw new AppError(
      "conflict",
      "There is nothing to confirm. Turn two-factor sign-in on first.",
    );
  }
  const guesser = await guesserOf(deps.context, { accountId, session });
  await countGuess(deps.codes, guesser, () =>
    requireTotp(deps, { accountId, code, sealed: stored.secret }),
  );
  await confirmTwoFactor(deps.context, { accountId, by });
}

/** Replaces all backup codes and returns the ten new ones; throws `conflict` if two-factor sign-in is off. */
export async function renewBackupCodes(
  { context }: TwoFactorDeps,
  { accountId, by }: { readonly accountId: string; readonly by: Actor },
): Promise<readonly string[]> {
  if (!(await isTwoFactorOn(context, accountId))) {
    throw new AppError("conflict", "Two-factor sign-in is off. Turn it on first.");
  }
  const backupCodes = newBackupCodes();
  await replaceBackupCodes(context, { accountId, by, codeHashes: hashesOf(backupCodes) });
  return backupCodes;
}

/** Returns whether a sign-in with the password needs a code too. */
export async function isTwoFactorOn(context: Context, accountId: string): Promise<boolean> {
  return (await findTwoFactor(context, accountId))?.isConfirmed ?? false;
}

/**
 * Returns the account whose sign-in the code completes: that of an authenticator app, or a backup code. Throws
 * `invalid_field` for a wrong code, `rate_limited` after many, and `expired` for a sign-in that is over.
 */
export async function passSecondFactor(
  deps: TwoFactorDeps,
  input: { readonly token: string; readonly code: string; readonly caller: Caller },
): Promise<string> {
  const { context, auth, codes } = deps;
  const { token, code, caller } = input;
  const { db } = context.database;
  const asked = await findChallenge(db, { kind: "two_factor", token, now: context.now() });
  const accountId = asked?.accountId ?? "";
  const passwordHash = await findPasswordHash(context, accountId);
  const known = auth.browsers.idOf(caller, { accountId, passwordHash });
  const answer = () => trySecondFactor(deps, { token, code, known, from: strangerAt(caller) });
  if (known !== null) return answer();
  return countFailures({ failures: codes.byNetwork, key: networkOf(caller.ip) }, answer);
}

async function trySecondFactor(
  deps: TwoFactorDeps,
  input: {
    readonly token: string;
    readonly code: string;
    readonly known: string | null;
    readonly from: Actor;
  },
): Promise<string> {
  const { context, codes } = deps;
  const { token, code, known, from } = input;
  const attempt = { kind: "two_factor", token, attemptsMax: ATTEMPTS_MAX } as const;
  const accountId = (await tryChallenge(context, attempt))?.accountId ?? null;
  if (accountId === null) throw signInIsOver();
  const check = async () => {
    if (await isGoodCode(deps, { accountId, code })) return;
    await deps.failed.note({ method: "code", from, accountId });
    throw wrongCode();
  };
  // A backup code has 80 bits: at a thousand guesses a second, one of ten is right in two million million years. So
  // only networks are counted, and an attacker who uses up the tries of an account cannot close this way to its owner.
  if (backupCodeHash(code) !== null) await check();
  else await countGuess(codes, { account: accountId, known, network: null }, check);
  if ((await takeChallenge(context, { kind: "two_factor", token })) === null) throw signInIsOver();
  return accountId;
}

async function isGoodCode(
  deps: TwoFactorDeps,
  { accountId, code }: { readonly accountId: string; readonly code: string },
): Promise<boolean> {
  const stored = await findTwoFactor(deps.context, accountId);
  if (stored?.isConfirmed !== true) return false;
  if (await isGoodTotp(deps, { accountId, code, sealed: stored.secret })) return true;
  return isGoodBackupCode(deps.context, { accountId, code });
}

interface GivenCode {
  readonly accountId: string;
  readonly code: string;
  readonly sealed: string;
}

async function requireTotp(deps: TwoFactorDeps, input: GivenCode): Promise<void> {
  if (!(await isGoodTotp(deps, input))) throw wrongCode();
}

async function isGoodTotp({ context, seal }: TwoFactorDeps, input: GivenCode): Promise<boolean> {
  const { accountId, sealed } = input;
  const secret = seal.open(sealed, accountId);
  if (secret === null) {
    // A backup code still works, with which the person signs in and sets up the app again.
    context.log.error({ accountId }, "a second factor was sealed with another session secret");
    return false;
  }
  const code = input.code.replaceAll(/\s/g, "");
  const step = matchStep(secret, { code, time: context.now() });
  return step !== null && spendStep(context, { accountId, step });
}

async function isGoodBackupCode(
  context: Context,
  { accountId, code }: { readonly accountId: string; readonly code: string },
): Promise<boolean> {
  const codeHash = backupCodeHash(code);
  return codeHash !== null && spendBackupCode(context, { accountId, codeHash });
}

function hashesOf(codes: readonly string[]): readonly string[] {
  return codes.flatMap((code) => backupCodeHash(code) ?? []);
}

function signInIsOver(): AppError {
  return new AppError("expired", "This sign-in is over. Start again.");
}

function wrongCode(): AppError {
  return invalidField("code", "code is wrong, or was used. Wait for the next one.");
}
