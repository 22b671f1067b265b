import type { DatabaseContext } from "#context.ts";

/** A person as a team knows them, by the id of the stay. */
export interface TeamPerson {
  readonly memberId: string;
  readonly name: string;
}

/** The most accounts in one query. */
const ACCOUNTS_MAX = 500;

/** Returns how a team knows each of at most 500 accounts that are or were in it, by the last stay. */
export async function peopleOf(
  { database: { db } }: DatabaseContext,
  { teamId, accountIds }: { readonly teamId: string; readonly accountIds: readonly string[] },
): Promise<ReadonlyMap<string, TeamPerson>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("team_member")
    .innerJoin("account", "account.id", "team_member.account_id")
    .select(["team_member.id as memberId", "team_member.account_id as accountId", "account.name"])
    .where("team_member.team_id", "=", teamId)
    .where("team_member.account_id", "in", accountIds.slice(0, ACCOUNTS_MAX))
    .orderBy("team_member.id")
    .execute();
  // Later rows overwrite earlier ones, so the last stay wins.
  return new Map(rows.map(({ accountId, memberId, name }) => [accountId, { memberId, name }]));
}
