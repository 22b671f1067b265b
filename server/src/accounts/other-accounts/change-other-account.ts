import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import {
  changeAccount,
  findListedAccount,
  type AccountChange,
  type ListedAccount,
} from "./store.ts";

/** The dependencies of `changeOtherAccount`. */
export interface AccountChangeDeps {
  readonly context: Context;
  /** Called after an account was suspended or reopened, to evict its cached keys. */
  readonly onSuspensionChanged: (accountId: string) => void;
}

/**
 * Changes whether an account is an administrator or suspended, or confirms its address, and returns the changed
 * account. Throws `not_found` if there is no such account, `forbidden` if it is the actor's own, and `conflict` if no
 * administrator would be left.
 */
export async function changeOtherAccount(
  { context, onSuspensionChanged }: AccountChangeDeps,
  change: AccountChange & { readonly actor: Actor },
): Promise<ListedAccount> {
  const { id, actor } = change;
  if ((await findListedAccount(context, id)) === null) throw createNoSuchAccountError();
  if (id === actor.accountId) {
    throw new AppError(
      "forbidden",
      "You cannot do this to your own account. Ask another administrator.",
    );
  }
  if (!(await changeAccount(context, change))) {
    throw new AppError(
      "conflict",
      "This is the last administrator. Make someone else an administrator first.",
    );
  }
  if (change.isSuspended !== undefined) onSuspensionChanged(id);
  const { isAdmin, isSuspended, isEmailVerified } = change;
  context.log.info(
    { by: actor.accountId, accountId: id, isAdmin, isSuspended, isEmailVerified },
    "an administrator changed an account",
  );
  const changedAccount = await findListedAccount(context, id);
  if (changedAccount === null) throw createNoSuchAccountError();
  return changedAccount;
}

/** Returns the error for a deleted or unknown account. */
export function createNoSuchAccountError(): AppError {
  return new AppError("not_found", "There is no such account.");
}
