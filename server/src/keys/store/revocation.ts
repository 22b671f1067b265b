import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";

/**
 * Returns the query that revokes every key of a team, for the transaction that deletes the team. Call `evictTeam` of
 * the verifier after the commit, so that the revocation takes effect immediately.
 */
export function revokeTeamKeysQuery(
  { database: { db }, now }: Context,
  teamId: string,
): Compilable {
  return db
    .updateTable("api_key")
    .set({ revoked_at: now(), escalation_policy_id: null })
    .where("team_id", "=", teamId)
    .where("revoked_at", "is", null);
}

/**
 * Returns the query that revokes every account key of an account. Call `evictAccount` of the verifier after the commit,
 * so that the revocation takes effect immediately.
 */
export function revokeAccountKeysQuery(
  { database: { db }, now }: Context,
  accountId: string,
): Compilable {
  return db
    .updateTable("api_key")
    .set({ revoked_at: now() })
    .where("account_id", "=", accountId)
    .where("kind", "=", "account")
    .where("revoked_at", "is", null);
}

/**
 * Returns the queries that revoke every account key of a deleted account, and erase their labels, policies and times of last use.
 * Call `evictAccount` as for `revokeAccountKeysQuery`.
 */
export function eraseAccountKeysQueries(
  context: Context,
  accountId: string,
): readonly Compilable[] {
  const eraseDetails = context.database.db
    .updateTable("api_key")
    .set({ label: null, last_used_at: null, escalation_policy_id: null });
  return [
    revokeAccountKeysQuery(context, accountId),
    eraseDetails.where("account_id", "=", accountId).where("kind", "=", "account"),
  ];
}
