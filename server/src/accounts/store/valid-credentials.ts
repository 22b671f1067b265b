import type { Context } from "#context.ts";

/**
 * Returns the valid sessions and access tokens among at most 500 ids, with the expiry of each session in milliseconds
 * since the epoch. The value of an access token is null, because it is valid until it is revoked.
 */
export async function findValidCredentials(
  { database: { db }, now }: Context,
  credentialIds: readonly string[],
): Promise<ReadonlyMap<string, number | null>> {
  const [sessions, tokens] = await Promise.all([
    db
      .selectFrom("session")
      .innerJoin("account", "account.id", "session.account_id")
      .select(["session.id", "session.expires_at as endsAt"])
      .where("session.id", "in", credentialIds)
      .where("session.expires_at", ">", new Date(now()).toISOString())
      .where("account.suspended_at", "is", null)
      .execute(),
    db
      .selectFrom("access_token")
      .innerJoin("account", "account.id", "access_token.account_id")
      .select("access_token.id")
      .where("access_token.id", "in", credentialIds)
      .where("access_token.revoked_at", "is", null)
      .where("account.suspended_at", "is", null)
      .execute(),
  ]);
  return new Map<string, number | null>([
    ...sessions.map(({ id, endsAt }) => [id, new Date(endsAt).getTime()] as const),
    ...tokens.map(({ id }) => [id, null] as const),
  ]);
}
