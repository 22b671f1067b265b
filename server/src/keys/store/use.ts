import type { Context } from "#context.ts";
import type { ApiKey, Principal } from "../api-key.ts";

/** A key that is not revoked, as requests use it. */
export interface UsableKey extends Pick<ApiKey, "expiresAt" | "label" | "channel"> {
  readonly principal: Principal;
}

/**
 * Returns a key for use in requests; null if it is unknown or revoked, or its account is suspended. It may have
 * expired. A team's key stays valid while its creator is suspended. `keyHash` is `hashToken` of the key.
 */
export async function findUsableKey(
  { database: { db } }: Context,
  keyHash: string,
): Promise<UsableKey | null> {
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

/** The last use of a key, in milliseconds since the epoch. */
export interface KeyUse {
  readonly keyId: string;
  readonly usedAt: number;
}

/**
 * Records uses in one commit. An older use never replaces a newer one. Sorts the uses by key, so that two nodes never
 * deadlock.
 */
export async function recordKeyUses({ database }: Context, uses: readonly KeyUse[]): Promise<void> {
  const sortedUses = uses.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1));
  const queries = sortedUses.map(({ keyId, usedAt }) =>
    database.db
      .updateTable("api_key")
      .set({ last_used_at: usedAt })
      .where("id", "=", keyId)
      .where("revoked_at", "is", null)
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", usedAt)])),
  );
  await database.atomically(queries);
}
