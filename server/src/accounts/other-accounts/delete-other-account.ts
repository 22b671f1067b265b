import type { Actor } from "#audit/event.ts";
import { deleteAccount, type AccountDeletionSteps } from "../deletion/delete-account.ts";
import { changeOtherAccount, type AccountChangeDeps } from "./change-other-account.ts";

/** The dependencies of `deleteOtherAccount`. */
export interface DeleteOtherAccountDeps extends AccountChangeDeps {
  readonly deletionSteps: AccountDeletionSteps;
  /** Hands over the teams whose only owner is the account, and deletes teams without other members. Safe to repeat. */
  readonly handOverTeams: (owner: {
    readonly accountId: string;
    readonly actor: Actor;
  }) => Promise<void>;
}

/**
 * Deletes another account. Throws `not_found` if there is no such account, `forbidden` if it is the actor's own, and
 * `conflict` if no administrator would be left. If interrupted, the account stays suspended and can be deleted again.
 */
export async function deleteOtherAccount(
  deps: DeleteOtherAccountDeps,
  { accountId, actor }: { readonly accountId: string; readonly actor: Actor },
): Promise<void> {
  // The account is suspended first, so that it cannot create anything, and two administrators cannot delete each other
  // concurrently.
  const { email } = await changeOtherAccount(deps, {
    id: accountId,
    actor,
    isSuspended: true,
    isAdmin: undefined,
  });
  await deps.handOverTeams({ accountId, actor });
  await deleteAccount(deps, { accountId, email, actor });
  deps.onSuspensionChanged(accountId);
  deps.context.log.info({ by: actor.accountId, accountId }, "an administrator deleted an account");
}
