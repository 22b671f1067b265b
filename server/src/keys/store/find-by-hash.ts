import type { Context } from "#context.ts";
import type { ApiKey, Principal } from "../api-key.ts";

/** A key that is not revoked, with the fields that a request needs. It may have expired. */
export interface UnrevokedKey extends Pick<ApiKey, "expiresAt" | "label" | "channel"> {
  readonly principal: Principal;
}

/**
 * Returns the key with a hash; null if it is unknown or revoked, or if its account is suspended. The suspension of its
 * creator does not affect a team's key. `keyHash` is `hashToken` of the key.
 */
export async function findUnrevokedKey(
  { database: { db } }: Context,
  keyHash: string,
): Promise<UnrevokedKey | null> {
  const row = await db
    .selectFrom("api_key")
    .innerJoin("account", "account.id", "api_key.account_id")
    .select(["api_key.id", "first_key_id", "account_id", "team_id", "expires_at", "post_only_at"])
    .select(["label", "channel"])
    .where("key_hash", "=", keyHash)
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("suspended_at", "is", null), eb("team_id", "is not", null)]))
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id: keyId, account_id: accountId, team_id: teamId, expires_at: expiresAt } = row;
  const firstKeyId = row.first_key_id ?? keyId;
  const isPostOnly = row.post_only_at !== null;
  const principal: Principal =
    teamId === null
      ? { kind: "account", keyId, firstKeyId, accountId, isPostOnly }
      : { kind: "team", keyId, firstKeyId, accountId, teamId, isPostOnly };
  const { label, channel } = row;
  return { principal, expiresAt, label, channel };
}
