import type { Context } from "#context.ts";

/** Returns the teams whose only owner is the account, oldest first. */
export async function findSoleOwnedTeams(
  { database: { db } }: Context,
  accountId: string,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  return db
    .selectFrom("team_member as mine")
    .innerJoin("team", "team.id", "mine.team_id")
    .select(["team.id", "team.name"])
    .where("mine.account_id", "=", accountId)
    .where("mine.left_at", "is", null)
    .where("mine.role", "=", "owner")
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("team_member as other")
            .select("other.id")
            .whereRef("other.team_id", "=", "mine.team_id")
            .where("other.account_id", "<>", accountId)
            .where("other.left_at", "is", null)
            .where("other.role", "=", "owner"),
        ),
      ),
    )
    .orderBy("mine.id")
    .execute();
}

/** Returns the suspended accounts among `accountIds`. */
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

/** Maximum number of accounts in one query. */
const ACCOUNTS_MAX = 500;
