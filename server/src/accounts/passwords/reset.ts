import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { ForeignStatement } from "../store/accounts.ts";
import { hashPassword } from "./hash.ts";
import { isResetToken, spendResetToken } from "./store/mailed-links.ts";

/**
 * Ends the devices and keys of an account that its owner takes back: a stranger may have made it with the owner's address. Their
 * rooms provide it.
 */
export interface TakeBack {
  readonly statements: (accountId: string) => readonly ForeignStatement[];
  /** Called after the statements were committed. */
  readonly committed: (accountId: string) => void;
}

export interface ResetDeps {
  readonly context: Context;
  readonly takeBack: TakeBack;
  /** Called after sessions or access tokens of an account may have ended, to close what they opened. */
  readonly onSignedOut: (accountId: string) => void;
}

/** Sets a new password by the token of a mailed link, once, and returns the id of the account. Throws `expired`. */
export async function resetByMailedLink(
  { context, takeBack, onSignedOut }: ResetDeps,
  {
    token,
    newPassword,
    by,
  }: { readonly token: string; readonly newPassword: string; readonly by: Actor },
): Promise<string> {
  // Hashing is expensive: only a valid token gets that far.
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
