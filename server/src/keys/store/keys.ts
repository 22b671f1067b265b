import type { Kysely } from "kysely";
import { toChangedValue, type Actor, type AuditEvent } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { addWithinLimit, type RowLimit } from "#database/add-within-limit.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { ApiKey, IssuedKey, KeyOwners, OwnedKey } from "../api-key.ts";
import {
  FIRST_KEY_ID,
  HAS_CALLBACK_SECRET,
  isOwnedBy,
  KEY_COLUMNS,
  toApiKey,
  toRow,
} from "./rows.ts";

/** Returns the keys of the owners after the id `after`, oldest first. Includes expired keys until they are revoked. */
export async function listKeys(
  context: Context,
  input: { readonly owners: KeyOwners; readonly after: string | null; readonly limit: number },
): Promise<readonly ApiKey[]> {
  const rows = await selectOwnedKeys(context.database.db, input.owners)
    .select([...KEY_COLUMNS, HAS_CALLBACK_SECRET])
    .where("id", ">", input.after ?? "")
    .orderBy("id")
    .limit(input.limit)
    .execute();
  return rows.map((row) => toApiKey(row));
}

/** Returns a key of the owners that is not revoked; null if there is none. */
export async function findKey(
  context: Context,
  { owners, keyId }: OwnedKey,
): Promise<ApiKey | null> {
  const row = await selectOwnedKeys(context.database.db, owners)
    .select([...KEY_COLUMNS, HAS_CALLBACK_SECRET])
    .where("id", "=", keyId)
    .executeTakeFirst();
  return row === undefined ? null : toApiKey(row);
}

/** Returns the query that stores a new key. `accountId` is its owner, or the creator of a team key. */
export function insertKeyQuery(
  { database: { db } }: Context,
  { accountId, key, apiKey }: IssuedKey & { readonly accountId: string },
): Compilable {
  return db.insertInto("api_key").values(toRow({ accountId, key, apiKey }));
}

/**
 * Stores a new key. `accountId` is its owner, or the creator of a team key. Returns false if the account or team
 * already has `limit` valid keys.
 */
export async function insertKey(
  context: Context,
  { limit, actor, ...issuedKey }: IssuedKey & KeyIssuance,
): Promise<boolean> {
  const { accountId, apiKey } = issuedKey;
  const rowLimit = {
    ...toValidKeyLimit(context, { accountId, teamId: apiKey.teamId }),
    max: limit,
  };
  const result = await addWithinLimit(context.database, rowLimit, async (db) => {
    await db.insertInto("api_key").values(toRow(issuedKey)).execute();
    const event = { action: "api_key_made", actor, ...toAuditFields(apiKey, issuedKey) } as const;
    await recordEvent(db, context, event);
    return "added";
  });
  return result !== "full";
}

/** Returns the name and the count of the limit on the valid keys of an account or a team. */
function toValidKeyLimit(
  { now }: Context,
  { accountId, teamId }: { readonly accountId: string; readonly teamId: string | null },
): Omit<RowLimit, "max"> {
  const owners =
    teamId === null ? { accountId, teamIds: [] } : { accountId: "", teamIds: [teamId] };
  return {
    name: `keys ${teamId ?? accountId}`,
    count: (db) =>
      db
        .selectFrom("api_key")
        .select(({ fn }) => fn.countAll().as("count"))
        .where(isOwnedBy(owners))
        .where("revoked_at", "is", null)
        .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now())]))
        .executeTakeFirstOrThrow(),
  };
}

/** The account and the actor of a new key, and the maximum number of valid keys. */
interface KeyIssuance {
  readonly accountId: string;
  readonly actor: Actor;
  readonly limit: number;
}

/** Returns an audit event's fields about a key: its owner and its id. An event about a team's key names no account. */
export function toAuditFields(
  { id, teamId }: Pick<ApiKey, "id" | "teamId">,
  { accountId }: { readonly accountId: string },
): Pick<AuditEvent, "accountId" | "teamId" | "subjectId"> {
  return { accountId: teamId === null ? accountId : null, teamId, subjectId: id };
}

/** The old key, its new expiry, the key that replaces it, and the actor. */
interface Rotation extends OwnedKey {
  /** Milliseconds since the epoch. */
  readonly oldExpiresAt: number;
  readonly newKey: IssuedKey;
  readonly actor: Actor;
}

/**
 * Stores a new key with the label, POST-only setting, escalation policy and channel of the old one, and sets the expiry
 * of the old key to `oldExpiresAt`, in one commit. Returns the new key; null if the old key was revoked or replaced
 * meanwhile; `full` if there are already `limit` valid keys.
 */
export async function replaceKey(
  context: Context,
  input: Rotation & { readonly limit: number },
): Promise<ApiKey | "full" | null> {
  const { owners, keyId, oldExpiresAt, newKey, limit } = input;
  const limitOwner = { accountId: owners.accountId, teamId: newKey.apiKey.teamId };
  const rowLimit = { ...toValidKeyLimit(context, limitOwner), max: limit };
  return addWithinLimit(context.database, rowLimit, async (db) => {
    const oldKey = await db
      .updateTable("api_key")
      .set({ expires_at: oldExpiresAt, replaced_by: newKey.apiKey.id })
      .where("id", "=", keyId)
      .where(isOwnedBy(owners))
      .where("revoked_at", "is", null)
      .where("replaced_by", "is", null)
      .returning([
        "label",
        "post_only_at",
        "escalation_policy_id",
        "channel",
        FIRST_KEY_ID.as("first_key_id"),
        HAS_CALLBACK_SECRET,
      ])
      .executeTakeFirst();
    if (oldKey === undefined) return null;
    // Read now, not when the new key was drafted: a change made meanwhile applies to both keys.
    const isPostOnly = oldKey.post_only_at !== null;
    const { label, escalation_policy_id: escalationPolicyId, channel } = oldKey;
    const hasCallbackSecret = oldKey.has_callback_secret === 1;
    const settings = { label, isPostOnly, escalationPolicyId, hasCallbackSecret, channel };
    const apiKey = { ...newKey.apiKey, ...settings };
    const row = toRow({ accountId: owners.accountId, key: newKey.key, apiKey });
    await db
      .insertInto("api_key")
      .values({ ...row, first_key_id: oldKey.first_key_id })
      .execute();
    await recordEvent(db, context, createRotationEvent(input));
    return apiKey;
  });
}

function createRotationEvent({ owners, keyId, oldExpiresAt, newKey, actor }: Rotation): AuditEvent {
  const { id, teamId } = newKey.apiKey;
  return {
    action: "api_key_rotated",
    actor,
    ...toAuditFields({ id: keyId, teamId }, owners),
    changes: [
      { name: "keyId", before: keyId, after: id },
      toChangedValue("expiresAt", formatTimestamp(oldExpiresAt)),
    ],
  };
}

/**
 * Returns the labels and hints of at most 500 keys, by id. Includes revoked keys, because the delivery log outlives
 * them.
 */
export async function findKeyNames(
  { database: { db } }: Context,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<ApiKey, "id" | "label" | "hint">>> {
  if (keyIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("api_key")
    .select(["id", "label", "hint"])
    .where("id", "in", keyIds.slice(0, IDS_MAX))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

const IDS_MAX = 500;

/** Returns the query for the owners' keys that are not revoked. */
export function selectOwnedKeys(db: Kysely<Schema>, owners: KeyOwners) {
  return db.selectFrom("api_key").where(isOwnedBy(owners)).where("revoked_at", "is", null);
}
