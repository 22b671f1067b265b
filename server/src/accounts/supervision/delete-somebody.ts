import type { Actor } from "#audit/event.ts";
import { deleteAccount, type AccountEnd } from "../deletion/delete-account.ts";
import { changeSomebody, type ChangeDeps } from "./change.ts";

/** What deleting somebody's account depends on. */
export interface DeleteSomebodyDeps extends ChangeDeps {
  readonly end: AccountEnd;
  /** Gives the teams whose only owner an account is to others, and ends those that have nobody else; may be repeated. */
  readonly handOverTeams: (leaving: {
    readonly accountId: string;
    readonly by: Actor;
  }) => Promise<void>;
}

/**
 * Ends somebody's account and forgets what is its own. Throws `not_found`, `forbidden` for one's own account, and `conflict`
 * where nobody would be left to administer. Interrupted, it leaves a suspended account, which can be deleted again.
 */
export async function deleteSomebody(
  deps: DeleteSomebodyDeps,
  { accountId, by }: { readonly accountId: string; readonly by: Actor },
): Promise<void> {
  // Nobody makes anything in it from here on, and two administrators cannot end each other at once.
  const { email } = await changeSomebody(deps, {
    id: accountId,
    by,
    isSuspended: true,
    isAdmin: undefined,
  });
  await deps.handOverTeams({ accountId, by });
  await deleteAccount(deps, { accountId, email, by });
  deps.onSuspensionChanged(accountId);
  deps.context.log.info({ by: by.accountId, accountId }, "an administrator deleted an account");
}
