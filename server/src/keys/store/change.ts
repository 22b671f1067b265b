import type { Kysely } from "kysely";
import type { Actor, ChangedValue } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Engine } from "#database/engine.ts";
import type { Schema } from "#database/schema.ts";
import type { ApiKey, KeyChange, OwnedKey } from "../api-key.ts";
import { lockEscalationPolicy } from "./escalation-policy.ts";
import { selectOwnedKeys, toAuditFields } from "./keys.ts";
import { HAS_CALLBACK_SECRET, isOwnedBy, KEY_COLUMNS, toApiKey } from "./rows.ts";

/**
 * Changes a key of the owners and returns it; null if there is no such key; `unknown_policy` if the new escalation
 * policy does not belong to the key's owner. Records no event if nothing changes.
 */
export async function updateKey(
  context: Context,
  {
    owners,
    keyId,
    actor,
    change,
  }: OwnedKey & { readonly actor: Actor; readonly change: KeyChange },
): Promise<ApiKey | "unknown_policy" | null> {
  const { database, now } = context;
  return database.transaction(async (db) => {
    const oldKey = await lockKey(db, database.engine, { owners, keyId });
    if (oldKey === null) return null;
    const changedKey = { ...oldKey, ...change };
    const { escalationPolicyId: policyId } = changedKey;
    const changes = listChanges(oldKey, changedKey);
    const hasUnrecordedChange =
      changedKey.label !== oldKey.label || changedKey.channel !== oldKey.channel;
    if (changes.length === 0 && !hasUnrecordedChange) return oldKey;
    if (policyId !== null && policyId !== oldKey.escalationPolicyId) {
      const ownedPolicy = { accountId: owners.accountId, teamId: oldKey.teamId, policyId };
      if (!(await lockEscalationPolicy(db, database.engine, ownedPolicy))) return "unknown_policy";
    }
    const postOnlyAt = changedKey.isPostOnly ? now() : null;
    const isPostOnlyChanged = changedKey.isPostOnly !== oldKey.isPostOnly;
    await db
      .updateTable("api_key")
      .set({
        label: changedKey.label,
        channel: changedKey.channel,
        escalation_policy_id: policyId,
        ...(isPostOnlyChanged ? { post_only_at: postOnlyAt } : {}),
      })
      .where("id", "=", keyId)
      .where(isOwnedBy(owners))
      .execute();
    const fields = toAuditFields(oldKey, owners);
    await recordEvent(db, context, { action: "api_key_changed", actor, ...fields, changes });
    return changedKey;
  });
}

async function lockKey(
  db: Kysely<Schema>,
  { lockRows }: Engine,
  { owners, keyId }: OwnedKey,
): Promise<ApiKey | null> {
  const ownedKey = selectOwnedKeys(db, owners)
    .select([...KEY_COLUMNS, HAS_CALLBACK_SECRET])
    .where("id", "=", keyId);
  const row = await (
    lockRows === null ? ownedKey : ownedKey.modifyEnd(lockRows)
  ).executeTakeFirst();
  return row === undefined ? null : toApiKey(row);
}

/** Returns the changed values to record. A label and a channel are texts from a user, so they are not recorded. */
function listChanges(oldKey: ApiKey, changedKey: ApiKey): readonly ChangedValue[] {
  const values = [
    {
      name: "postOnly",
      before: String(oldKey.isPostOnly),
      after: String(changedKey.isPostOnly),
    },
    {
      name: "escalationPolicyId",
      before: oldKey.escalationPolicyId,
      after: changedKey.escalationPolicyId,
    },
  ] as const;
  return values.filter(({ before, after }) => before !== after);
}
