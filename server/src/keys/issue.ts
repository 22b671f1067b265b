import type { Dialect } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { IssuedKey } from "./api-key.ts";
import { toHint, generateApiKey } from "./key-shape.ts";
import { insertKey, insertKeyQuery } from "./store/keys.ts";

/** The properties of a new key. */
export interface KeyRequest {
  /** Owner of an account key, or creator of a team key. */
  readonly accountId: string;
  /** Null for an account key. */
  readonly teamId: string | null;
  readonly label: string | null;
  /** Milliseconds since the epoch; null for a key that never expires. */
  readonly expiresAt: number | null;
  /** Whether GET requests are refused. */
  readonly isPostOnly: boolean;
  /** The API whose programs use the key; null, by default, for a UUID. */
  readonly dialect?: Dialect | null;
  /** The channel of sends in APIs that name none; null, by default, for the default channel. */
  readonly channel?: string | null;
}

/** Maximum number of valid keys per account and per team. */
export const KEYS_MAX = 200;

/** Creates a key, stores its hash and returns the key. Throws `conflict` at the limit. */
export async function issueKey(
  context: Context,
  { actor, ...request }: KeyRequest & { readonly actor: Actor },
): Promise<IssuedKey> {
  const newKey = draftKey(context, request);
  const { accountId } = request;
  if (await insertKey(context, { ...newKey, accountId, actor, limit: KEYS_MAX })) return newKey;
  const owner = request.teamId === null ? "An account" : "A team";
  throw new AppError("conflict", `${owner} has at most ${KEYS_MAX} keys. Revoke one first.`);
}

/** Returns a new team key and the query that stores it. The query belongs in the transaction that creates the team. */
export function draftTeamKey(context: Context, { teamId, accountId, label }: TeamKeyRequest) {
  const newKey = draftKey(context, { teamId, label, expiresAt: null, isPostOnly: false });
  return { key: newKey.key, query: insertKeyQuery(context, { accountId, ...newKey }) };
}

type TeamKeyRequest = Pick<KeyRequest, "accountId" | "label"> & { readonly teamId: string };

/** Returns a new key that is not stored yet. */
export function draftKey(
  { now, newId }: Context,
  request: Omit<KeyRequest, "accountId">,
): IssuedKey {
  const { teamId, label, expiresAt, isPostOnly, dialect = null, channel = null } = request;
  const key = generateApiKey(dialect);
  const apiKey = {
    id: newId(),
    kind: teamId === null ? ("account" as const) : ("team" as const),
    teamId,
    label,
    hint: toHint(key, dialect),
    createdAt: now(),
    lastUsedAt: null,
    expiresAt,
    replacedBy: null,
    isPostOnly,
    escalationPolicyId: null,
    hasCallbackSecret: false,
    dialect,
    channel,
  };
  return { key, apiKey };
}
