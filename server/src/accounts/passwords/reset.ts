import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { JoinedStatement } from "../store/accounts.ts";
import { hashPassword } from "./hash.ts";
import { isValidResetToken, spendResetToken } from "./store/mailed-links.ts";

/**
 * The steps of other rooms when the owner of an address reclaims an account, which a stranger may have created with the
 * address: they retire its devices and revoke its keys. `composition/account-end.ts` provides them.
 */
export interface AccountReclaimSteps {
  readonly createStatements: (accountId: string) => readonly JoinedStatement[];
  /** Called after the statements were committed. */
  readonly onCommitted: (accountId: string) => void;
}

/** The dependencies of a password reset by an emailed link. */
export interface ResetDeps {
  readonly context: Context;
  readonly reclaim: AccountReclaimSteps;
  /** Called after sessions or access tokens of an account may have ended, to end the streams that they opened. */
  readonly onSignedOut: (accountId: string) => void;
}

/**
 * Sets a new password with the single-use token of an emailed link, verifies the address, ends all sessions and
 * access tokens, and returns the account id. Throws `expired` if the link is used, expired or unknown.
 */
export async function resetByMailedLink(
  { context, reclaim, onSignedOut }: ResetDeps,
  {
    token,
    newPassword,
    actor,
  }: { readonly token: string; readonly newPassword: string; readonly actor: Actor },
): Promise<string> {
  // Hashing is expensive, so the token is checked first.
  if (!(await isValidResetToken(context, token))) throw createLinkExpiredError();
  const reset = await spendResetToken(context, {
    token,
    passwordHash: await hashPassword(newPassword),
    actor,
    createReclaimStatements: reclaim.createStatements,
  });
  if (reset === null) throw createLinkExpiredError();
  onSignedOut(reset.accountId);
  if (reset.isReclaimed) reclaim.onCommitted(reset.accountId);
  return reset.accountId;
}

function createLinkExpiredError(): AppError {
  return new AppError("expired", "This link has expired or was used. Ask for a new one.");
}
