import type { ApiKey, IssuedApiKey } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";

/** Maximum number of keys in a list. */
const KEYS_MAX = 200;

/** Query for all API keys that the account can manage: its own keys and its teams' keys. */
export const allKeysQuery = queryOptions({
  queryKey: ["keys", "all"],
  queryFn: async ({ signal }) => await fetchAllKeys(signal),
});

/** Query for the account's own API keys. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: async ({ signal }) =>
    (await fetchAllKeys(signal)).filter(({ kind }) => kind === "account"),
  // Scripts also create keys, and no live event reports them.
  staleTime: 0,
});

/** Returns the query for the API keys of a managed team, oldest first. */
export function createTeamKeysQuery(teamId: string) {
  return queryOptions({
    queryKey: ["keys", teamId],
    queryFn: async ({ signal }) =>
      (await fetchAllKeys(signal)).filter((key) => key.teamId === teamId),
  });
}

async function fetchAllKeys(signal: AbortSignal): Promise<readonly ApiKey[]> {
  return (await client.keys.list({ limit: KEYS_MAX }, { signal })).items;
}

/**
 * Query that keeps the newest created key in memory, because the server never returns it again; null if there is none.
 */
export const newKeyQuery = queryOptions({
  queryKey: ["new-key"],
  queryFn: (): IssuedApiKey | null => null,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/** The properties of a new key. */
export interface KeyInput {
  /** Omitted for a key of the account. */
  readonly teamId?: string | undefined;
  /** Empty for none. */
  readonly label: string;
  /** An RFC 3339 string; null for a key that does not expire. */
  readonly expiresAt: string | null;
  /** Whether the server rejects GET with the key. */
  readonly isPostOnly: boolean;
}

/** Creates a key and stores it for all views that show it. */
export async function createKey(
  queryClient: QueryClient,
  { teamId, label, expiresAt, isPostOnly }: KeyInput = {
    label: "",
    expiresAt: null,
    isPostOnly: false,
  },
): Promise<void> {
  const newKey = await client.keys.create({
    ...(teamId === undefined ? { kind: "account" } : { kind: "team", teamId }),
    ...(label === "" ? {} : { label }),
    ...(expiresAt === null ? {} : { expiresAt }),
    postOnly: isPostOnly,
  });
  await storeNewKeyAndRefresh(queryClient, newKey);
}

/** Replaces a key and stores the new one for all views that show it. The old key works for `overlapSeconds` more. */
export async function rotateKey(
  queryClient: QueryClient,
  id: string,
  overlapSeconds: number,
): Promise<void> {
  await storeNewKeyAndRefresh(queryClient, await client.keys.rotate(id, { overlapSeconds }));
}

/** Sets whether the server rejects GET with a key. */
export async function setPostOnly(
  queryClient: QueryClient,
  id: string,
  postOnly: boolean,
): Promise<void> {
  await client.keys.update(id, { postOnly });
  queryClient.setQueryData(newKeyQuery.queryKey, (newKey) =>
    newKey?.id === id ? { ...newKey, postOnly } : newKey,
  );
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}

/** Sets the escalation policy of a key; null for none. */
export async function setEscalationPolicy(
  queryClient: QueryClient,
  id: string,
  escalationPolicyId: string | null,
): Promise<void> {
  await client.keys.update(id, { escalationPolicyId });
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}

/** Creates the callback secret of a key and returns it. */
export async function createCallbackSecret(queryClient: QueryClient, id: string): Promise<string> {
  const { secret } = await client.keys.createCallbackSecret(id);
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
  return secret;
}

/** Stores a new key for all views that show it. */
export function storeNewKey(queryClient: QueryClient, newKey: IssuedApiKey): void {
  queryClient.setQueryData(newKeyQuery.queryKey, newKey);
}

/** Revokes a key and removes it from all views that show a new key, because it no longer works. */
export async function revokeKey(queryClient: QueryClient, id: string): Promise<void> {
  await client.keys.remove(id);
  queryClient.setQueryData(newKeyQuery.queryKey, (newKey) => (newKey?.id === id ? null : newKey));
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}

async function storeNewKeyAndRefresh(
  queryClient: QueryClient,
  newKey: IssuedApiKey,
): Promise<void> {
  storeNewKey(queryClient, newKey);
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}
