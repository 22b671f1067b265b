import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { ForeignStatement } from "../store/accounts.ts";
import { eraseAccount } from "./store.ts";

/** The steps of other rooms when an account ends; each step may be repeated. */
export interface AccountEnd {
  /** Throws `last_owner` if a team would have no owner. */
  leaveTeams(leaving: { readonly accountId: string; readonly by: Actor }): Promise<void>;
  /** Ends the account's keys and devices: nothing new comes in afterwards. */
  silence(accountId: string): Promise<void>;
  /** Deletes notifications that were sent to this account only. */
  forgetContents(accountId: string): Promise<void>;
  /** Returns statements that delete what other people left for the address, in the commit that ends the account. */
  lastStatements(email: string): readonly ForeignStatement[];
}

/**
 * Ends an account and deletes its own rows. If interrupted, it leaves an account that can still sign in and be deleted
 * again. Throws `last_owner` before any change.
 */
export async function deleteAccount(
  { context, end }: { readonly context: Context; readonly end: AccountEnd },
  {
    accountId,
    email,
    by,
  }: { readonly accountId: string; readonly email: string; readonly by: Actor },
): Promise<void> {
  await end.leaveTeams({ accountId, by });
  await end.silence(accountId);
  await end.forgetContents(accountId);
  await eraseAccount(context, { accountId, by, alongside: end.lastStatements(email) });
  // A request that came in before the end may have created something since: it has no effect any more, and is deleted
  // too.
  await end.silence(accountId);
  await end.forgetContents(accountId);
}
