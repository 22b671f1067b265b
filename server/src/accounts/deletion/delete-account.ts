import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { JoinedStatement } from "../store/accounts.ts";
import { anonymiseAccount } from "./store.ts";

/** The steps of other rooms when an account is deleted. Each step is safe to repeat. */
export interface AccountDeletionSteps {
  /** Removes the account from its teams. Throws `last_owner` if a team would have no owner. */
  leaveTeams(member: { readonly accountId: string; readonly actor: Actor }): Promise<void>;
  /** Ends the account's keys and devices, so that it gets no new notifications. */
  endKeysAndDevices(accountId: string): Promise<void>;
  /** Deletes notifications that were sent only to this account. */
  deleteContents(accountId: string): Promise<void>;
  /**
   * Returns statements that delete invitations and other data for the email address, for the transaction that deletes
   * the account.
   */
  createFinalStatements(email: string): readonly JoinedStatement[];
}

/**
 * Deletes an account: ends its memberships, keys and devices, deletes its contents, and anonymises its row. If
 * interrupted, it can be repeated. Throws `last_owner` before any change.
 */
export async function deleteAccount(
  {
    context,
    deletionSteps,
  }: { readonly context: Context; readonly deletionSteps: AccountDeletionSteps },
  {
    accountId,
    email,
    actor,
  }: { readonly accountId: string; readonly email: string; readonly actor: Actor },
): Promise<void> {
  await deletionSteps.leaveTeams({ accountId, actor });
  await deletionSteps.endKeysAndDevices(accountId);
  await deletionSteps.deleteContents(accountId);
  await anonymiseAccount(context, {
    accountId,
    actor,
    joinedStatements: deletionSteps.createFinalStatements(email),
  });
  // A request that arrived before the deletion may have created keys, devices or contents meanwhile. They have no
  // effect, and are deleted too.
  await deletionSteps.endKeysAndDevices(accountId);
  await deletionSteps.deleteContents(accountId);
}
