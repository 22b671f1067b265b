import type { Kysely } from "kysely";
import { since, type Actor, type AuditEvent, type Change } from "#audit/event.ts";
import { record, recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { withinLimit, type RowLimit } from "#database/within-limit.ts";
import { timestamp } from "#schema/moment.ts";
import type { ApiKey, IssuedKey, KeyChange, KeyOwner, OwnKey } from "../api-key.ts";
import { apiKeyOf, isOwnedBy, KEY_COLUMNS, rowOf } from "./rows.ts";

/** Returns the owner's keys after the id `after`, oldest first; includes expired ones until they are revoked. */
export async function listKeys(
  context: Context,
  input: { readonly owner: KeyOwner; readonly after: string | null; readonly limit: number },
): Promise<readonly ApiKey[]> {
  const rows = await ownKeys(context.database.db, input.owner)
    .select(KEY_COLUMNS)
    .where("id", ">", input.after ?? "")
    .orderBy("id")
    .limit(input.limit)
    .execute();
  return rows.map((row) => apiKeyOf(row));
}

/** Returns a key of the owner, or null. */
export async function findKey(context: Context, { owner, keyId }: OwnKey): Promise<ApiKey | null> {
  const row = await ownKeys(context.database.db, owner)
    .select(KEY_COLUMNS)
    .where("id", "=", keyId)
    .executeTakeFirst();
  return row === undefined ? null : apiKeyOf(row);
}

/** Returns the query that stores a new key; the account owns it, or made it for its team. */
export function insertKeyQuery(
  { database: { db } }: Context,
  { accountId, key, apiKey }: IssuedKey & { readonly accountId: string },
): Compilable {
  return db.insertInto("api_key").values(rowOf({ accountId, key, apiKey }));
}

/**
 * Stores a new key; the account owns it, or made it for its team. False if the account, or the team, already has `most`
 * valid ones.
 */
export async function insertKey(
  context: Context,
  { most, by, ...issued }: IssuedKey & Issuing,
): Promise<boolean> {
  const { accountId, apiKey } = issued;
  const limit = { ...goodKeys(context, { accountId, teamId: apiKey.teamId }), most };
  const added = await withinLimit(context.database, limit, async (db) => {
    await db.insertInto("api_key").values(rowOf(issued)).execute();
    const event = { action: "api_key_made", by, ...concerned(apiKey, issued) } as const;
    await record(db, context, event);
    return "added";
  });
  return added !== "full";
}

/** Returns the limit on the valid keys of an account, or of a team. */
function goodKeys(
  { now }: Context,
  { accountId, teamId }: { readonly accountId: string; readonly teamId: string | null },
): Omit<RowLimit, "most"> {
  const owner = teamId === null ? { accountId, teamIds: [] } : { accountId: "", teamIds: [teamId] };
  return {
    name: `keys ${teamId ?? accountId}`,
    count: (db) =>
      db
        .selectFrom("api_key")
        .select(({ fn }) => fn.countAll().as("count"))
        .where(isOwnedBy(owner))
        .where("revoked_at", "is", null)
        .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now())]))
        .executeTakeFirstOrThrow(),
  };
}

/** The creator of a key, and how many there may be. */
interface Issuing {
  readonly accountId: string;
  readonly by: Actor;
  readonly most: number;
}

/** A team's key concerns no account. */
function concerned(
  { id, teamId }: Pick<ApiKey, "id" | "teamId">,
  { accountId }: { readonly accountId: string },
): Pick<AuditEvent, "accountId" | "teamId" | "subjectId"> {
  return { accountId: teamId === null ? accountId : null, teamId, subjectId: id };
}

/** The old key, when it expires, and the key that replaces it. */
interface Rotation extends OwnKey {
  readonly oldExpiresAt: number;
  readonly issued: IssuedKey;
  readonly by: Actor;
}

/**
 * Stores a new key with the label and switches of the old one and makes that expire at `oldExpiresAt`, both or neither;
 * returns the new key. Null if the old key was revoked or replaced meanwhile, and `full` if there are `most` valid
 * ones.
 */
export async function replaceKey(
  context: Context,
  input: Rotation & { readonly most: number },
): Promise<ApiKey | "full" | null> {
  const { owner, keyId, oldExpiresAt, issued, most } = input;
  const concerns = { accountId: owner.accountId, teamId: issued.apiKey.teamId };
  const limit = { ...goodKeys(context, concerns), most };
  return withinLimit(context.database, limit, async (db) => {
    const old = await db
      .updateTable("api_key")
      .set({ expires_at: oldExpiresAt, replaced_by: issued.apiKey.id })
      .where("id", "=", keyId)
      .where(isOwnedBy(owner))
      .where("revoked_at", "is", null)
      .where("replaced_by", "is", null)
      .returning(["label", "post_only_at", "first_key_id"])
      .executeTakeFirst();
    if (old === undefined) return null;
    // Taken from the old key as it is now, not as it was when the new one was drafted: a change made meanwhile applies
    // to both.
    const isPostOnly = old.post_only_at !== null;
    const apiKey = { ...issued.apiKey, label: old.label, isPostOnly };
    const row = rowOf({ accountId: owner.accountId, key: issued.key, apiKey });
    const firstKeyId = old.first_key_id ?? keyId;
    await db
      .insertInto("api_key")
      .values({ ...row, first_key_id: firstKeyId })
      .execute();
    await record(db, context, rotationEvent(input));
    return apiKey;
  });
}

function rotationEvent({ owner, keyId, oldExpiresAt, issued, by }: Rotation): AuditEvent {
  const { id, teamId } = issued.apiKey;
  return {
    action: "api_key_rotated",
    by,
    ...concerned({ id: keyId, teamId }, owner),
    changes: [
      { name: "keyId", before: keyId, after: id },
      since("expiresAt", timestamp(oldExpiresAt)),
    ],
  };
}

/** Changes a key of the owner and returns it; null if there is none. A change without effect records no event. */
export async function updateKey(
  context: Context,
  { owner, keyId, by, change }: OwnKey & { readonly by: Actor; readonly change: KeyChange },
): Promise<ApiKey | null> {
  const { database, now } = context;
  const { keepRows } = database.engine;
  return database.transaction(async (db) => {
    const own = ownKeys(db, owner).select(KEY_COLUMNS).where("id", "=", keyId);
    const row = await (keepRows === null ? own : own.modifyEnd(keepRows)).executeTakeFirst();
    if (row === undefined) return null;
    const old = apiKeyOf(row);
    const changed = { ...old, ...change };
    const isSwitched = changed.isPostOnly !== old.isPostOnly;
    if (!isSwitched && changed.label === old.label) return old;
    const switchedAt = changed.isPostOnly ? now() : null;
    await db
      .updateTable("api_key")
      .set({ label: changed.label, ...(isSwitched ? { post_only_at: switchedAt } : {}) })
      .where("id", "=", keyId)
      .where(isOwnedBy(owner))
      .execute();
    // A label is free text typed by a person, so no event repeats it.
    const changes = isSwitched ? [switched(old, changed)] : [];
    await record(db, context, {
      action: "api_key_changed",
      by,
      ...concerned(old, owner),
      changes,
    });
    return changed;
  });
}

function switched(old: ApiKey, changed: ApiKey): Change {
  return {
    name: "postOnly",
    before: String(old.isPostOnly),
    after: String(changed.isPostOnly),
  };
}

/** Revokes a key of the owner; false if there is none. */
export async function markRevoked(
  context: Context,
  { owner, keyId, by }: OwnKey & { readonly by: Actor },
): Promise<boolean> {
  const row = await recorded(
    context,
    (db) =>
      db
        .updateTable("api_key")
        .set({ revoked_at: context.now() })
        .where("id", "=", keyId)
        .where(isOwnedBy(owner))
        .where("revoked_at", "is", null)
        .returning(["id", "team_id as teamId"])
        .executeTakeFirst(),
    (revoked) => ({ action: "api_key_revoked", by, ...concerned(revoked, owner) }),
  );
  return row !== undefined;
}

/** Returns the labels and hints of at most 500 keys, by id; includes revoked ones, as a delivery log outlives its keys. */
export async function keyNames(
  { database: { db } }: Context,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<ApiKey, "id" | "label" | "hint">>> {
  if (keyIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("api_key")
    .select(["id", "label", "hint"])
    .where("id", "in", keyIds.slice(0, NAMES_MAX))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

const NAMES_MAX = 500;

function ownKeys(db: Kysely<Schema>, owner: KeyOwner) {
  return db.selectFrom("api_key").where(isOwnedBy(owner)).where("revoked_at", "is", null);
}
