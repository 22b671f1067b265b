import type { Context } from "#context.ts";
import { hintOf, newApiKey, type IssuedKey } from "./api-key.ts";
import { insertKey, insertKeyQuery } from "./store.ts";

/** What a new key is to be. */
export interface KeyRequest {
  /** The owner of an account key, or who makes a team key. */
  readonly accountId: string;
  /** Null for an account key. */
  readonly teamId: string | null;
  readonly label: string | null;
  /** Milliseconds since the epoch; null for a key without end. */
  readonly expiresAt: number | null;
}

/** Makes a key, remembers its hash and returns it. */
export async function issueKey(context: Context, request: KeyRequest): Promise<IssuedKey> {
  const issued = draftKey(context, request);
  await insertKey(context, { accountId: request.accountId, ...issued });
  return issued;
}

/** Returns a new team key and the query that remembers it, to be committed with the team. */
export function teamKeyInsert(context: Context, { teamId, accountId, label }: TeamKeyRequest) {
  const issued = draftKey(context, { teamId, label, expiresAt: null });
  return { key: issued.key, query: insertKeyQuery(context, { accountId, ...issued }) };
}

type TeamKeyRequest = Pick<KeyRequest, "accountId" | "label"> & { readonly teamId: string };

/** Returns a key that nobody remembers yet. */
export function draftKey(
  { now, newId }: Context,
  { teamId, label, expiresAt }: Omit<KeyRequest, "accountId">,
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
  };
  return { key, apiKey };
}
