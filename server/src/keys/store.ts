import type { ExpressionBuilder, Selectable } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { hashSecret } from "#secret.ts";
import type { ApiKey, IssuedKey, Principal } from "./api-key.ts";

/** Whose keys somebody may manage: the account's own, and those of the teams it manages. */
export interface KeyOwner {
  readonly accountId: string;
  readonly teamIds: readonly string[];
}

/** A key by those who may manage it. */
export interface OwnKey {
  readonly owner: KeyOwner;
  readonly keyId: string;
}

const KEY_COLUMNS = [
  "id",
  "kind",
  "team_id",
  "label",
  "hint",
  "created_at",
  "last_used_at",
  "expires_at",
  "replaced_by",
] as const;

/** Returns the owner's keys after the id `after`, oldest first; expired ones too, until they are revoked. */
export async function listKeys(
  context: Context,
  input: { readonly owner: KeyOwner; readonly after: string | null; readonly limit: number },
): Promise<readonly ApiKey[]> {
  const rows = await ownKeys(context, input.owner)
    .select(KEY_COLUMNS)
    .where("id", ">", input.after ?? "")
    .orderBy("id")
    .limit(input.limit)
    .execute();
  return rows.map((row) => apiKeyOf(row));
}

/** Returns a key of the owner, or null. */
export async function findKey(context: Context, { owner, keyId }: OwnKey): Promise<ApiKey | null> {
  const row = await ownKeys(context, owner)
    .select(KEY_COLUMNS)
    .where("id", "=", keyId)
    .executeTakeFirst();
  return row === undefined ? null : apiKeyOf(row);
}

/**
 * Returns whom a key speaks for and until when, where it was not revoked and its account is not suspended; a team's key goes
 * on. `keyHash` is `hashSecret` of the key.
 */
export async function findPrincipal(
  { database: { db } }: Context,
  keyHash: string,
): Promise<{ readonly principal: Principal; readonly expiresAt: number | null } | null> {
  const row = await db
    .selectFrom("api_key")
    .innerJoin("account", "account.id", "api_key.account_id")
    .select(["api_key.id", "account_id", "team_id", "expires_at"])
    .where("key_hash", "=", keyHash)
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("suspended_at", "is", null), eb("team_id", "is not", null)]))
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id: keyId, account_id: accountId, team_id: teamId, expires_at: expiresAt } = row;
  const principal: Principal =
    teamId === null
      ? { kind: "account", keyId, accountId }
      : { kind: "team", keyId, accountId, teamId };
  return { principal, expiresAt };
}

/** Returns the query that remembers a new key; the account owns it, or made it for its team. */
export function insertKeyQuery(
  { database: { db } }: Context,
  { accountId, key, apiKey }: IssuedKey & { readonly accountId: string },
): Compilable {
  return db.insertInto("api_key").values(rowOf({ accountId, key, apiKey }));
}

/** Remembers a new key; the account owns it, or made it for its team. */
export async function insertKey(
  { database }: Context,
  { accountId, key, apiKey }: IssuedKey & { readonly accountId: string },
): Promise<void> {
  await database.db.insertInto("api_key").values(rowOf({ accountId, key, apiKey })).execute();
}

/**
 * Remembers a new key and lets the old one end at `oldExpiresAt`, both or neither. False where the old key
 * was revoked or replaced meanwhile.
 */
export async function replaceKey(
  context: Context,
  input: OwnKey & { readonly oldExpiresAt: number; readonly issued: IssuedKey },
): Promise<boolean> {
  const { owner, keyId, oldExpiresAt, issued } = input;
  return context.database.transaction(async (db) => {
    const old = await db
      .updateTable("api_key")
      .set({ expires_at: oldExpiresAt, replaced_by: issued.apiKey.id })
      .where("id", "=", keyId)
      .where(isOwnedBy(owner))
      .where("revoked_at", "is", null)
      .where("replaced_by", "is", null)
      .returning("account_id")
      .executeTakeFirst();
    if (old === undefined) return false;
    const row = rowOf({ accountId: owner.accountId, ...issued });
    await db.insertInto("api_key").values(row).execute();
    return true;
  });
}

/** Revokes a key of the owner; false where there is none. */
export async function markRevoked(
  { database: { db }, now }: Context,
  { owner, keyId }: OwnKey,
): Promise<boolean> {
  const row = await db
    .updateTable("api_key")
    .set({ revoked_at: now() })
    .where("id", "=", keyId)
    .where(isOwnedBy(owner))
    .where("revoked_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the query that revokes every key of a team, to be committed with the team's end; `forgetTeam` of
 * the verifier then makes it hold at once.
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
 * Returns the query that revokes every key of an account, to be committed with what ends it; `forgetAccount`
 * of the verifier then makes it hold at once.
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

/** Returns the queries that revoke every key of an account that ends, and forget what it called them. */
export function forgetAccountKeysQueries(
  context: Context,
  accountId: string,
): readonly Compilable[] {
  const named = context.database.db.updateTable("api_key").set({ label: null });
  return [
    revokeAccountKeysQuery(context, accountId),
    named.where("account_id", "=", accountId).where("kind", "=", "account"),
  ];
}

/** Returns how at most 500 keys are called, by id; revoked ones too: a delivery log outlives its keys. */
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

/** When a key was last used, in milliseconds since the epoch. */
export interface KeyUse {
  readonly keyId: string;
  readonly at: number;
}

/**
 * Records uses in one commit; an older one never replaces a newer one. In one order everywhere, so that two nodes never
 * wait for each other in a circle.
 */
export async function recordUses({ database }: Context, uses: readonly KeyUse[]): Promise<void> {
  const ordered = uses.toSorted((one, other) => (one.keyId < other.keyId ? -1 : 1));
  const queries = ordered.map(({ keyId, at }) =>
    database.db
      .updateTable("api_key")
      .set({ last_used_at: at })
      .where("id", "=", keyId)
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", at)])),
  );
  await database.atomically(queries);
}

function ownKeys({ database: { db } }: Context, owner: KeyOwner) {
  return db.selectFrom("api_key").where(isOwnedBy(owner)).where("revoked_at", "is", null);
}

/** A team's key belongs to the team, not to the account that made it. */
function isOwnedBy({ accountId, teamIds }: KeyOwner) {
  return (eb: ExpressionBuilder<Schema, "api_key">) => {
    const isMine = eb.and([eb("account_id", "=", accountId), eb("team_id", "is", null)]);
    return teamIds.length === 0 ? isMine : eb.or([isMine, eb("team_id", "in", teamIds)]);
  };
}

function rowOf({ accountId, key, apiKey }: IssuedKey & { readonly accountId: string }) {
  return {
    id: apiKey.id,
    kind: apiKey.kind,
    account_id: accountId,
    team_id: apiKey.teamId,
    label: apiKey.label,
    key_hash: hashSecret(key),
    hint: apiKey.hint,
    created_at: apiKey.createdAt,
    last_used_at: null,
    expires_at: apiKey.expiresAt,
    revoked_at: null,
    replaced_by: null,
  };
}

function apiKeyOf(row: Pick<Selectable<Schema["api_key"]>, (typeof KEY_COLUMNS)[number]>): ApiKey {
  return {
    id: row.id,
    kind: row.kind,
    teamId: row.team_id,
    label: row.label,
    hint: row.hint,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    replacedBy: row.replaced_by,
  };
}
