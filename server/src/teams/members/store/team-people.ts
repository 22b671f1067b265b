import type { DatabaseContext } from "#context.ts";

/** A current or former member. A team knows its members by member id, not by account id. */
export interface TeamPerson {
  readonly memberId: string;
  readonly name: string;
}

/** Maximum number of accounts in one query. */
const ACCOUNTS_MAX = 500;

/** Returns the latest member id and the name of up to 500 accounts that are or were in a team, by account id. */
export async function findTeamPeople(
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
  // Later rows overwrite earlier ones, so the latest membership wins.
  return new Map(rows.map(({ accountId, memberId, name }) => [accountId, { memberId, name }]));
}
