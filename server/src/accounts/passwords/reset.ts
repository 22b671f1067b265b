import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { ForeignStatement } from "../store/accounts.ts";
import { hashPassword } from "./hash.ts";
import { isResetToken, spendResetToken } from "./store/mailed-links.ts";

/**
 * Ends the devices and keys of an account that its owner reclaims, because a stranger may have created it with the
 * owner's address. The rooms of both provide it.
 */
export interface TakeBack {
  readonly statements: (accountId: string) => readonly ForeignStatement[];
  /** Called after the statements were committed. */
  readonly committed: (accountId: string) => void;
}

export interface ResetDeps {
  readonly context: Context;
  readonly takeBack: TakeBack;
  /** Called after sessions or access tokens of an account may have ended, to end the streams that they opened. */
  readonly onSignedOut: (accountId: string) => void;
}

/** Sets a new password with the token of a mailed link, once, and returns the account id. Throws `expired`. */
export async function resetByMailedLink(
  { context, takeBack, onSignedOut }: ResetDeps,
  {
    token,
    newPassword,
    actor,
  }: { readonly token: string; readonly newPassword: string; readonly actor: Actor },
): Promise<string> {
  // Hashing is expensive, so the token is checked first.
  if (!(await isResetToken(context, token))) throw linkExpired();
  const reset = await spendResetToken(context, {
    token,
    passwordHash: await hashPassword(newPassword),
    actor,
    takenBack: takeBack.statements,
  });
  if (reset === null) throw linkExpired();
  onSignedOut(reset.accountId);
  if (reset.isTakenBack) takeBack.committed(reset.accountId);
  return reset.accountId;
}

function linkExpired(): AppError {
  return new AppError("expired", "This link has expired or was used. Ask for a new one.");
}
