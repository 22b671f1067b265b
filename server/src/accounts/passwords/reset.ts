import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { ForeignStatement } from "../store/accounts.ts";
import { hashPassword } from "./hash.ts";
import { isResetToken, spendResetToken } from "./store/mailed-links.ts";

/**
 * What ends when an owner takes back an account that a stranger may have made with the owner's address: its
 * devices and keys; their rooms provide it.
 */
export interface TakeBack {
  readonly statements: (accountId: string) => readonly ForeignStatement[];
  /** Told after the statements were committed. */
  readonly committed: (accountId: string) => void;
}

export interface ResetDeps {
  readonly context: Context;
  readonly takeBack: TakeBack;
  /** Told after sessions or access tokens of an account may have ended: what they opened ends. */
  readonly onSignedOut: (accountId: string) => void;
}

/** Sets a new password by the token of a mailed link, once, and returns whose it is; throws `expired`. */
export async function resetByMailedLink(
  { context, takeBack, onSignedOut }: ResetDeps,
  {
    token,
    newPassword,
    by,
  }: { readonly token: string; readonly newPassword: string; readonly by: Actor },
): Promise<string> {
  // A password is hashed for a tenth of a second: not for everybody who asks.
  if (!(await isResetToken(context, token))) throw linkIsOver();
  const reset = await spendResetToken(context, {
    token,
    passwordHash: await hashPassword(newPassword),
    by,
    takenBack: takeBack.statements,
  });
  if (reset === null) throw linkIsOver();
  onSignedOut(reset.accountId);
  if (reset.isTakenBack) takeBack.committed(reset.accountId);
  return reset.accountId;
}

function linkIsOver(): AppError {
  return new AppError("expired", "This link has expired or was used. Ask for a new one.");
}
