import type { Context } from "#context.ts";

/** Returns the number of valid keys of its own of each account that has at least `least`: for administrators. */
export async function accountsWithKeys(
  { database: { db }, now }: Context,
  least: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("api_key")
    .select(({ fn }) => ["account_id", fn.countAll().as("count")])
    .where("kind", "=", "account")
    .where("revoked_at", "is", null)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", now())]))
    .groupBy("account_id")
    .having(({ fn }) => fn.countAll(), ">=", least)
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}
