import { createUnknownActor } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Auth } from "../auth.ts";
import type { Caller } from "../caller.ts";
import { findChallenge, takeChallenge, countChallengeAttempt } from "../store/challenges.ts";
import { findGuessKeys, type Confirmation } from "../confirmation.ts";
import type { FailedSignInLog } from "../failed-sign-in-log.ts";
import { countGuess, type GuessLimits } from "../guesses.ts";
import { countFailures, toNetwork } from "../attempt-limit.ts";
import type { Seal } from "../seal.ts";
import { findPasswordHash } from "../store/accounts.ts";
import { hashBackupCode, generateBackupCodes } from "./backup-code.ts";
import {
  recordConfirmation,
  findTwoFactor,
  replaceBackupCodes,
  replaceUnconfirmedTwoFactor,
  spendBackupCode,
  spendTimeStep,
} from "./store.ts";
import { findMatchingStep, generateTotpSecret, formatTotpUri } from "./totp.ts";

/** The dependencies of two-factor sign-in. */
export interface TwoFactorDeps {
  readonly context: Context;
  readonly seal: Seal;
  readonly auth: Pick<Auth, "knownBrowsers">;
  /** The limits of wrong codes of authenticator apps. */
  readonly codeGuesses: GuessLimits;
  readonly failedSignIns: FailedSignInLog;
}

/** A new second factor, with its secrets, which cannot be read again. */
export interface NewTwoFactor {
  readonly uri: string;
  /** In base32, for manual entry instead of the QR code. */
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** Maximum number of codes per sign-in. After that, a person starts over with the password. */
const ATTEMPTS_MAX = 5;

/** Creates a second factor that takes effect when it is confirmed. Throws `conflict` if one is already in effect. */
export async function beginTwoFactor(
  { context, seal }: TwoFactorDeps,
  { accountId, email }: { readonly accountId: string; readonly email: string },
): Promise<NewTwoFactor> {
  const secret = generateTotpSecret();
  const backupCodes = generateBackupCodes();
  const isStored = await replaceUnconfirmedTwoFactor(context, {
    accountId,
    secret: seal.close(secret, accountId),
    codeHashes: hashBackupCodes(backupCodes),
  });
  if (!isStored) throw new AppError("conflict", "Two-factor sign-in is on. Turn it off first.");
  return { uri: formatTotpUri({ secret, email }), secret, backupCodes };
}

/**
 * Turns on two-factor sign-in with the first code. Throws `invalid_field` if the code is wrong, `rate_limited` after
 * many wrong codes, and `conflict` if there is nothing to confirm.
 */
export async function confirmTwoFactor(
  deps: TwoFactorDeps,
  input: Pick<Confirmation, "accountId" | "session"> & {
    readonly code: string;
    readonly actor: Actor;
  },
): Promise<void> {
  const { accountId, session, code, actor } = input;
  const twoFactor = await findTwoFactor(deps.context, accountId);
  if (twoFactor === null || twoFactor.isConfirmed) {
    throw new AppError(
      "conflict",
      "There is nothing to confirm. Turn two-factor sign-in on first.",
    );
  }
  const guessKeys = await findGuessKeys(deps.context, { accountId, session });
  await countGuess(deps.codeGuesses, guessKeys, () =>
    requireTotp(deps, { accountId, code, sealedSecret: twoFactor.secret }),
  );
  await recordConfirmation(deps.context, { accountId, actor });
}

/** Replaces all backup codes and returns the ten new ones. Throws `conflict` if two-factor sign-in is off. */
export async function renewBackupCodes(
  { context }: TwoFactorDeps,
  { accountId, actor }: { readonly accountId: string; readonly actor: Actor },
): Promise<readonly string[]> {
  if (!(await isTwoFactorOn(context, accountId))) {
    throw new AppError("conflict", "Two-factor sign-in is off. Turn it on first.");
  }
  const backupCodes = generateBackupCodes();
  await replaceBackupCodes(context, { accountId, actor, codeHashes: hashBackupCodes(backupCodes) });
  return backupCodes;
}

/** Returns whether a sign-in with a password or an identity provider also requires a code. */
export async function isTwoFactorOn(context: Context, accountId: string): Promise<boolean> {
  return (await findTwoFactor(context, accountId))?.isConfirmed ?? false;
}

/**
 * Completes a sign-in with a code of an authenticator app or a backup code, and returns the account id. Throws
 * `invalid_field` if the code is wrong, `rate_limited` after many wrong codes, and `expired` if the sign-in has
 * expired.
 */
export async function verifySecondFactor(
  deps: TwoFactorDeps,
  input: { readonly token: string; readonly code: string; readonly caller: Caller },
): Promise<string> {
  const { context, auth, codeGuesses } = deps;
  const { token, code, caller } = input;
  const { db } = context.database;
  const challenge = await findChallenge(db, { kind: "two_factor", token, now: context.now() });
  const accountId = challenge?.accountId ?? "";
  const passwordHash = await findPasswordHash(context, accountId);
  const knownCaller = auth.knownBrowsers.findId(caller, { accountId, passwordHash });
  const attempt = () =>
    trySecondFactor(deps, { token, code, knownCaller, actor: createUnknownActor(caller) });
  if (knownCaller !== null) return attempt();
  return countFailures({ limit: codeGuesses.byNetwork, key: toNetwork(caller.ip) }, attempt);
}

async function trySecondFactor(
  deps: TwoFactorDeps,
  input: {
    readonly token: string;
    readonly code: string;
    readonly knownCaller: string | null;
    readonly actor: Actor;
  },
): Promise<string> {
  const { context, codeGuesses } = deps;
  const { token, code, knownCaller, actor } = input;
  const attempt = { kind: "two_factor", token, attemptsMax: ATTEMPTS_MAX } as const;
  const accountId = (await countChallengeAttempt(context, attempt))?.accountId ?? null;
  if (accountId === null) throw createSignInExpiredError();
  const check = async () => {
    if (await isValidCode(deps, { accountId, code })) return;
    await deps.failedSignIns.record({ method: "code", actor, accountId });
    throw createInvalidCodeError();
  };
  // A backup code has 80 bits: at a thousand guesses per second, finding one of ten takes two million million years.
  // So only networks are counted, and an attacker who uses up the attempts of an account cannot block its owner's
  // backup codes.
  if (hashBackupCode(code) !== null) await check();
  else await countGuess(codeGuesses, { accountKey: accountId, knownCaller, network: null }, check);
  if ((await takeChallenge(context, { kind: "two_factor", token })) === null)
    throw createSignInExpiredError();
  return accountId;
}

async function isValidCode(
  deps: TwoFactorDeps,
  { accountId, code }: { readonly accountId: string; readonly code: string },
): Promise<boolean> {
  const twoFactor = await findTwoFactor(deps.context, accountId);
  if (twoFactor?.isConfirmed !== true) return false;
  if (await isValidTotp(deps, { accountId, code, sealedSecret: twoFactor.secret })) return true;
  return isValidBackupCode(deps.context, { accountId, code });
}

interface TotpAttempt {
  readonly accountId: string;
  readonly code: string;
  readonly sealedSecret: string;
}

async function requireTotp(deps: TwoFactorDeps, input: TotpAttempt): Promise<void> {
  if (!(await isValidTotp(deps, input))) throw createInvalidCodeError();
}

async function isValidTotp({ context, seal }: TwoFactorDeps, input: TotpAttempt): Promise<boolean> {
  const { accountId, sealedSecret } = input;
  const secret = seal.open(sealedSecret, accountId);
  if (secret === null) {
    // A backup code still works, so the person can sign in and set up the app again.
    context.log.error(
      { accountId },
      "cannot open a second factor: it was sealed with another session secret",
    );
    return false;
  }
  const code = input.code.replaceAll(/\s/g, "");
  const step = findMatchingStep(secret, { code, now: context.now() });
  return step !== null && spendTimeStep(context, { accountId, step });
}

async function isValidBackupCode(
  context: Context,
  { accountId, code }: { readonly accountId: string; readonly code: string },
): Promise<boolean> {
  const codeHash = hashBackupCode(code);
  return codeHash !== null && spendBackupCode(context, { accountId, codeHash });
}

function hashBackupCodes(codes: readonly string[]): readonly string[] {
  return codes.flatMap((code) => hashBackupCode(code) ?? []);
}

function createSignInExpiredError(): AppError {
  return new AppError("expired", "This sign-in has expired. Start again.");
}

function createInvalidCodeError(): AppError {
  return invalidField("code", "code is wrong or was already used. Wait for the next one.");
}
