import type { Context } from "#context.ts";

/** Returns the ids of the oldest pushes of incidents and prompts to an audience, in its feed or not, at most `limit`. */
export async function listActingNotificationIds(
  { database: { db } }: Context,
  { audienceId, limit }: { readonly audienceId: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("notification")
    .select("id")
    .where("audience_id", "=", audienceId)
    .where("cause", "is not", null)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
