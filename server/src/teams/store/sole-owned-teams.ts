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
