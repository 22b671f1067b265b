import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import { takeChallenge, tryChallenge } from "../challenges/store.ts";
import type { FailedSignIns } from "../failed-sign-ins.ts";
import type { Limit } from "../limit.ts";
import type { Seal } from "../seal.ts";
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

/** What second factors depend on. */
export interface TwoFactorDeps {
  readonly context: Context;
  readonly seal: Seal;
  /** Wrong codes by account: they count over all sign-ins together. */
  readonly wrongCodes: Limit;
  readonly failed: FailedSignIns;
}

/** A second factor at the only moment at which its secrets are told. */
export interface NewTwoFactor {
  readonly uri: string;
  /** In base32, to be typed where no QR code can be read. */
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** One sign-in takes so many wrong codes, then begins anew with the password. */
const ATTEMPTS_MAX = 5;

/** Makes a second factor that counts once it is confirmed; throws `conflict` where one counts already. */
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

/** Makes the second factor count, by its first code; throws `invalid_field` for a wrong one, `conflict` where there is nothing to confirm. */
export async function finishTwoFactor(
  deps: TwoFactorDeps,
  input: { readonly accountId: string; readonly code: string; readonly by: Actor },
): Promise<void> {
  const { accountId, code, by } = input;
  const stored = await findTwoFactor(deps.context, accountId);
  if (stored === null || stored.isConfirmed) {
    throw new AppError(
      "conflict",
      "There is nothing to confirm. Turn two-factor sign-in on first.",
    );
  }
  await deps.wrongCodes.take(accountId);
  if (!(await isGoodTotp(deps, { accountId, code, sealed: stored.secret }))) throw wrongCode();
  await deps.wrongCodes.giveBack(accountId);
  await confirmTwoFactor(deps.context, { accountId, by });
}

/** Returns ten new backup codes, in the place of all others; throws `conflict` where two-factor sign-in is off. */
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

/** Returns whether a sign-in with the password must give a code too. */
export async function isTwoFactorOn(context: Context, accountId: string): Promise<boolean> {
  return (await findTwoFactor(context, accountId))?.isConfirmed ?? false;
}

/**
 * Returns whose sign-in the code completes: that of an authenticator app, or a backup code. Throws `invalid_field`
 * for a wrong code, `rate_limited` after many, and `expired` for a sign-in that is over.
 */
export async function passSecondFactor(
  deps: TwoFactorDeps,
  { token, code, from }: { readonly token: string; readonly code: string; readonly from: Actor },
): Promise<string> {
  const { context, wrongCodes } = deps;
  const attempt = { kind: "two_factor", token, attemptsMax: ATTEMPTS_MAX } as const;
  const accountId = (await tryChallenge(context, attempt))?.accountId ?? null;
  if (accountId === null) throw signInIsOver();
  // Counted before the code is looked at, so that many at once cannot slip through.
  await wrongCodes.take(accountId);
  const stored = await findTwoFactor(context, accountId);
  const isGood =
    stored?.isConfirmed === true &&
    ((await isGoodTotp(deps, { accountId, code, sealed: stored.secret })) ||
      (await isGoodBackupCode(context, { accountId, code })));
  if (!isGood) {
    await deps.failed.note({ method: "code", from, accountId });
    throw wrongCode();
  }
  await wrongCodes.giveBack(accountId);
  if ((await takeChallenge(context, { kind: "two_factor", token })) === null) throw signInIsOver();
  return accountId;
}

async function isGoodTotp(
  { context, seal }: TwoFactorDeps,
  input: { readonly accountId: string; readonly code: string; readonly sealed: string },
): Promise<boolean> {
  const { accountId, sealed } = input;
  const secret = seal.open(sealed, accountId);
  if (secret === null) {
    // A backup code still counts, by which a person comes in who sets up the app anew.
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
  return new AppError("expired", "This sign-in is over. Begin anew.");
}

function wrongCode(): AppError {
  return invalidField("code", "code is wrong, or was used. Wait for the next one.");
}
