import type { Actor } from "#audit/event.ts";
import { deleteAccount, type AccountEnd } from "../deletion/delete-account.ts";
import { changeSomebody, type AccountChangeDeps } from "./change.ts";

/** The dependencies of deleting somebody's account. */
export interface DeleteSomebodyDeps extends AccountChangeDeps {
  readonly end: AccountEnd;
  /** Gives the teams whose only owner is the account to other members, and deletes those that have none; may be repeated. */
  readonly handOverTeams: (leaving: {
    readonly accountId: string;
    readonly by: Actor;
  }) => Promise<void>;
}

/**
 * Deletes somebody's account and its own rows. Throws `not_found`, `forbidden` for one's own account, and `conflict` if
 * no administrator would be left. If interrupted, it leaves a suspended account, which can be deleted again.
 */
export async function deleteSomebody(
  deps: DeleteSomebodyDeps,
  { accountId, by }: { readonly accountId: string; readonly by: Actor },
): Promise<void> {
  // Suspended, so that nothing new is created in it, and two administrators cannot delete each other concurrently.
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
