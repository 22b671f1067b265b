import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { ForeignStatement } from "../store/accounts.ts";
import { eraseAccount } from "./store.ts";

/** What the other rooms do when an account ends; each step may be repeated. */
export interface AccountEnd {
  /** Throws `last_owner` where a team would have no owner. */
  leaveTeams(leaving: { readonly accountId: string; readonly by: Actor }): Promise<void>;
  /** Ends what sends and what is sent to: from then on nothing new comes in. */
  silence(accountId: string): Promise<void>;
  /** Forgets what was sent to the account alone. */
  forgetContents(accountId: string): Promise<void>;
  /** Forgets what other people left for the address, in the commit that ends the account. */
  lastStatements(email: string): readonly ForeignStatement[];
}

/**
 * Ends an account and forgets what is its own. Interrupted, it leaves an account that can still sign in and be deleted
 * again. Throws `last_owner` before anything was done.
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
  // A request that came in before the end may have made something since: it counts for nothing, and goes too.
  await end.silence(accountId);
  await end.forgetContents(accountId);
}
