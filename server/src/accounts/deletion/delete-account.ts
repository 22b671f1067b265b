import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { ForeignStatement } from "../store/accounts.ts";
import { eraseAccount } from "./store.ts";

/** The steps of other rooms when an account is deleted. Each step is safe to repeat. */
export interface AccountEnd {
  /** Removes the account from its teams. Throws `last_owner` if a team would have no owner. */
  leaveTeams(leaving: { readonly accountId: string; readonly actor: Actor }): Promise<void>;
  /** Ends the account's keys and devices, so that it gets no new notifications. */
  silence(accountId: string): Promise<void>;
  /** Deletes notifications that were sent only to this account. */
  forgetContents(accountId: string): Promise<void>;
  /**
   * Returns statements that delete invitations and other data for the email address, for the transaction that deletes
   * the account.
   */
  lastStatements(email: string): readonly ForeignStatement[];
}

/**
 * Deletes an account and its rows. If interrupted, the account can still sign in and be deleted again. Throws
 * `last_owner` before any change.
 */
export async function deleteAccount(
  { context, end }: { readonly context: Context; readonly end: AccountEnd },
  {
    accountId,
    email,
    actor,
  }: { readonly accountId: string; readonly email: string; readonly actor: Actor },
): Promise<void> {
  await end.leaveTeams({ accountId, actor });
  await end.silence(accountId);
  await end.forgetContents(accountId);
  await eraseAccount(context, { accountId, actor, alongside: end.lastStatements(email) });
  // A request that arrived before the deletion may have created something meanwhile. It has no effect, and is deleted
  // too.
  await end.silence(accountId);
  await end.forgetContents(accountId);
}
