import { findAccount } from "#accounts/store/accounts.ts";
import type { Context } from "#context.ts";
import type { AppOwner } from "#dialects/dialect.ts";
import { AppError } from "#errors.ts";
import { countSent } from "#notifications/activity/store.ts";
import { DAY_MS } from "#schema/timestamp.ts";

/** Returns the owner of an app, as the app may show them. Throws `not_found` if the account was deleted. */
export async function findAppOwner(context: Context, accountId: string): Promise<AppOwner> {
  const today = Math.floor(context.now() / DAY_MS);
  const [account, sent] = await Promise.all([
    findAccount(context, accountId),
    countSent(context, { audienceIds: [accountId], days: [today] }),
  ]);
  if (account === null) throw new AppError("not_found", "This account was deleted.");
  return { email: account.email, sentTodayCount: sent[0]?.count ?? 0 };
}
