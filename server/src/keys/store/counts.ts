import type { Context } from "#context.ts";

/** Returns the number of valid account keys of each account that has at least `minCount`. For administrators. */
export async function countKeysByAccount(
  { database: { db }, now }: Context,
  minCount: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("api_key")
    .select(({ fn }) => ["account_id", fn.countAll().as("count")])
    .where("kind", "=", "account")
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now())]))
    .groupBy("account_id")
    .having(({ fn }) => fn.countAll(), ">=", minCount)
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}
