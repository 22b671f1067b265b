import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { hintOf, newApiKey, type IssuedKey } from "./api-key.ts";
import { insertKey, insertKeyQuery } from "./store/keys.ts";

/** The properties of a new key. */
export interface KeyRequest {
  /** The owner of an account key, or the creator of a team key. */
  readonly accountId: string;
  /** Null for an account key. */
  readonly teamId: string | null;
  readonly label: string | null;
  /** Milliseconds since the epoch; null for a key that never expires. */
  readonly expiresAt: number | null;
  /** Refuses GET. */
  readonly isPostOnly: boolean;
}

/** The most valid keys that an account has of its own, and that a team has. */
export const KEYS_MAX = 200;

/** Creates a key, stores its hash and returns it; throws `conflict` at the limit. */
export async function issueKey(
  context: Context,
  { by, ...request }: KeyRequest & { readonly by: Actor },
): Promise<IssuedKey> {
  const issued = draftKey(context, request);
  const { accountId } = request;
  if (await insertKey(context, { ...issued, accountId, by, most: KEYS_MAX })) return issued;
  const whose = request.teamId === null ? "An account" : "A team";
  throw new AppError("conflict", `${whose} has at most ${KEYS_MAX} keys. Revoke one first.`);
}

/** Returns a new team key and the query that stores it, to be committed with the team. */
export function teamKeyInsert(context: Context, { teamId, accountId, label }: TeamKeyRequest) {
  const issued = draftKey(context, { teamId, label, expiresAt: null, isPostOnly: false });
  return { key: issued.key, query: insertKeyQuery(context, { accountId, ...issued }) };
}

type TeamKeyRequest = Pick<KeyRequest, "accountId" | "label"> & { readonly teamId: string };

/** Returns a key that is not stored yet. */
export function draftKey(
  { now, newId }: Context,
  { teamId, label, expiresAt, isPostOnly }: Omit<KeyRequest, "accountId">,
): IssuedKey {
  const key = newApiKey();
  const apiKey = {
    id: newId(),
    kind: teamId === null ? ("account" as const) : ("team" as const),
    teamId,
    label,
    hint: hintOf(key),
    createdAt: now(),
    lastUsedAt: null,
    expiresAt,
    replacedBy: null,
    isPostOnly,
  };
  return { key, apiKey };
}
