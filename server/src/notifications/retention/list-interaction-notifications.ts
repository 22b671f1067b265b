import type { Context } from "#context.ts";

/**
 * Returns the ids of up to `limit` pushes of incidents and prompts to an audience, oldest first, in its feed or not.
 */
export async function listInteractionNotificationIds(
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
