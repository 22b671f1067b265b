import type { Context } from "#context.ts";

/** Returns account names by id, without those of deleted accounts. The caller passes at most 500 ids. */
export async function findAccountNames(
  { database: { db } }: Context,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("account")
    .select(["id", "name"])
    .where("id", "in", accountIds)
    .where("email", "not like", "%@deleted.invalid")
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
