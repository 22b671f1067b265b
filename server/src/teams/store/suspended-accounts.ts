import type { Context } from "#context.ts";

/** Maximum number of accounts in one query. */
const ACCOUNTS_MAX = 500;

/** Returns the ids of the suspended accounts among `accountIds`. */
export async function findSuspendedAccounts(
  { database: { db } }: Context,
  accountIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const suspendedIds = new Set<string>();
  for (let start = 0; start < accountIds.length; start += ACCOUNTS_MAX) {
    const rows = await db
      .selectFrom("account")
      .select("id")
      .where("id", "in", accountIds.slice(start, start + ACCOUNTS_MAX))
      .where("suspended_at", "is not", null)
      .execute();
    for (const { id } of rows) suspendedIds.add(id);
  }
  return suspendedIds;
}
