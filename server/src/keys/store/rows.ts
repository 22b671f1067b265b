import { sql, type ExpressionBuilder, type Selectable } from "kysely";
import { selectHasSecret } from "#callbacks/store/secrets.ts";
import type { Schema } from "#database/schema.ts";
import { hashToken } from "#token.ts";
import type { ApiKey, IssuedKey, KeyOwners } from "../api-key.ts";

/** The columns of a key without its hash. */
export const KEY_COLUMNS = [
  "id",
  "kind",
  "team_id",
  "label",
  "hint",
  "created_at",
  "last_used_at",
  "expires_at",
  "replaced_by",
  "post_only_at",
  "escalation_policy_id",
  "dialect",
  "channel",
] as const;

/** The id of the first key in a key's rotation chain, in a query on `api_key`. */
export const FIRST_KEY_ID = sql<string>`coalesce(api_key.first_key_id, api_key.id)`;

/** Whether the rotation chain of a key has a callback secret, for the select list of a query on `api_key`. */
export const HAS_CALLBACK_SECRET = selectHasSecret(FIRST_KEY_ID).as("has_callback_secret");

/** The selected columns of a key's row. */
export type KeyRow = Pick<Selectable<Schema["api_key"]>, (typeof KEY_COLUMNS)[number]> & {
  readonly has_callback_secret: number;
};

/** Converts a row to a key. */
export function toApiKey(row: KeyRow): ApiKey {
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
    isPostOnly: row.post_only_at !== null,
    escalationPolicyId: row.escalation_policy_id,
    hasCallbackSecret: row.has_callback_secret === 1,
    dialect: row.dialect,
    channel: row.channel,
  };
}

/** Converts a new key to its row. `accountId` is its owner, or the creator of a team key. */
export function toRow({
  accountId,
  key: secret,
  apiKey,
}: IssuedKey & { readonly accountId: string }) {
  return {
    id: apiKey.id,
    kind: apiKey.kind,
    account_id: accountId,
    team_id: apiKey.teamId,
    label: apiKey.label,
    key_hash: hashToken(secret),
    hint: apiKey.hint,
    created_at: apiKey.createdAt,
    last_used_at: null,
    expires_at: apiKey.expiresAt,
    revoked_at: null,
    replaced_by: null,
    first_key_id: null,
    post_only_at: apiKey.isPostOnly ? apiKey.createdAt : null,
    escalation_policy_id: apiKey.escalationPolicyId,
    dialect: apiKey.dialect,
    channel: apiKey.channel,
  };
}

/** Returns the condition that one of the owners owns the key. A team's key belongs to the team, not to its creator. */
export function isOwnedBy({ accountId, teamIds }: KeyOwners) {
  return (eb: ExpressionBuilder<Schema, "api_key">) => {
    const isPersonalKey = eb.and([eb("account_id", "=", accountId), eb("team_id", "is", null)]);
    return teamIds.length === 0
      ? isPersonalKey
      : eb.or([isPersonalKey, eb("team_id", "in", teamIds)]);
  };
}
