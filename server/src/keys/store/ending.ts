import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";

/**
 * Returns the query that revokes every key of a team, to be committed with the team's end; call `forgetTeam` of the
 * verifier afterwards, so that it takes effect at once.
 */
export function revokeTeamKeysQuery(
  { database: { db }, now }: Context,
  teamId: string,
): Compilable {
  return db
    .updateTable("api_key")
    .set({ revoked_at: now() })
    .where("team_id", "=", teamId)
    .where("revoked_at", "is", null);
}

/**
 * Returns the query that revokes every key of an account, to be committed with the change that ends it; call
 * `forgetAccount` of the verifier afterwards, so that it takes effect at once.
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

/** Returns the queries that revoke every key of an account that ends, and erase their labels and times of last use. */
export function forgetAccountKeysQueries(
  context: Context,
  accountId: string,
): readonly Compilable[] {
  const named = context.database.db.updateTable("api_key").set({ label: null, last_used_at: null });
  return [
    revokeAccountKeysQuery(context, accountId),
    named.where("account_id", "=", accountId).where("kind", "=", "account"),
  ];
}
