import {
  endSourcesQueries,
  eraseSourcesQueries,
  toSourceLockName,
} from "#callbacks/store/secrets.ts";
import type { Actor } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context, DatabaseContext } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { OwnedKey } from "../api-key.ts";
import { toAuditFields } from "./keys.ts";
import { FIRST_KEY_ID, isOwnedBy } from "./rows.ts";

/**
 * Revokes a key of the owners; returns false if there is none. With the last key of a rotation chain, the secrets and
 * pending callbacks of the chain end.
 */
export async function markKeyRevoked(
  context: Context,
  { owners, keyId, actor }: OwnedKey & { readonly actor: Actor },
): Promise<boolean> {
  return context.database.transaction(async (db) => {
    const revokedKey = await db
      .updateTable("api_key")
      .set({ revoked_at: context.now() })
      .where("id", "=", keyId)
      .where(isOwnedBy(owners))
      .where("revoked_at", "is", null)
      .returning(["id", "team_id as teamId", FIRST_KEY_ID.as("firstKeyId")])
      .executeTakeFirst();
    if (revokedKey === undefined) return false;
    await recordEvent(db, context, {
      action: "api_key_revoked",
      actor,
      ...toAuditFields(revokedKey, owners),
    });
    // Without this lock, concurrent revocations of the last two keys of a chain would each see the other key as valid.
    const lockName = toSourceLockName(revokedKey.firstKeyId);
    await context.database.engine.lockName(lockName).execute(db);
    for (const query of endChainQueries(context, revokedKey.firstKeyId))
      await db.executeQuery(query.compile());
    return true;
  });
}

/**
 * Returns the statements that end the secrets and pending callbacks of a rotation chain if all its keys are revoked.
 */
function endChainQueries({ database }: DatabaseContext, firstKeyId: string): readonly Compilable[] {
  const { db } = database;
  const unrevokedSuccessors = db
    .selectFrom("api_key as successor")
    .select("successor.id")
    .where("successor.first_key_id", "=", firstKeyId)
    .where("successor.revoked_at", "is", null);
  const endedChain = db
    .selectFrom("api_key")
    .select("api_key.id")
    .where("api_key.id", "=", firstKeyId)
    .where("api_key.revoked_at", "is not", null)
    .where((eb) => eb.not(eb.exists(unrevokedSuccessors)));
  return endSourcesQueries({ database }, endedChain.$asScalar());
}

/**
 * Returns the statements that revoke every key of a team and erase the secrets and callbacks of these keys, for the
 * transaction that deletes the team. Call `evictTeam` of the verifier after the commit, so that the revocation takes
 * effect immediately.
 */
export function revokeTeamKeysQueries(
  { database, now }: Context,
  teamId: string,
): readonly Compilable[] {
  const { db } = database;
  return [
    db
      .updateTable("api_key")
      .set({ revoked_at: now(), escalation_policy_id: null })
      .where("team_id", "=", teamId)
      .where("revoked_at", "is", null),
    ...eraseSourcesQueries(
      { database },
      db.selectFrom("api_key").select("id").where("team_id", "=", teamId).$asScalar(),
    ),
  ];
}

/**
 * Returns the statements that revoke every account key of an account and delete the secrets and pending callbacks of
 * these keys. Call `evictAccount` of the verifier after the commit, so that the revocation takes effect immediately.
 */
export function revokeAccountKeysQueries(
  context: Context,
  accountId: string,
): readonly Compilable[] {
  return [
    revokeAccountKeysQuery(context, accountId),
    ...endSourcesQueries(context, selectAccountKeyIds(context, accountId)),
  ];
}

/**
 * Returns the statements that revoke every account key of a deleted account, and erase their labels, channels,
 * policies, times of last use, secrets and callbacks. Call `evictAccount` as for `revokeAccountKeysQueries`.
 */
export function eraseAccountKeysQueries(
  context: Context,
  accountId: string,
): readonly Compilable[] {
  const eraseDetails = context.database.db
    .updateTable("api_key")
    .set({ label: null, channel: null, last_used_at: null, escalation_policy_id: null });
  return [
    revokeAccountKeysQuery(context, accountId),
    eraseDetails.where("account_id", "=", accountId).where("kind", "=", "account"),
    ...eraseSourcesQueries(context, selectAccountKeyIds(context, accountId)),
  ];
}

function revokeAccountKeysQuery({ database: { db }, now }: Context, accountId: string): Compilable {
  return db
    .updateTable("api_key")
    .set({ revoked_at: now() })
    .where("account_id", "=", accountId)
    .where("kind", "=", "account")
    .where("revoked_at", "is", null);
}

function selectAccountKeyIds({ database: { db } }: DatabaseContext, accountId: string) {
  return db
    .selectFrom("api_key")
    .select("id")
    .where("account_id", "=", accountId)
    .where("kind", "=", "account")
    .$asScalar();
}
