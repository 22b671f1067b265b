import type { Context } from "#context.ts";

/** Returns the number of owned teams of each account that owns at least `minimum`. For administrators. */
export async function countOwnedTeamsByAccount(
  { database: { db } }: Context,
  minimum: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("team_member")
    .select(({ fn }) => ["account_id", fn.countAll().as("count")])
    .where("role", "=", "owner")
    .where("left_at", "is", null)
    .groupBy("account_id")
    .having(({ fn }) => fn.countAll(), ">=", minimum)
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}
