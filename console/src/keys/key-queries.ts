import type { ApiKey, IssuedApiKey } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";

/** Keys that the list shows at most. */
const KEYS_SHOWN = 200;

/** Query for every API key that the account may manage: its own, and those of its teams. */
export const allKeysQuery = queryOptions({
  queryKey: ["keys", "all"],
  queryFn: async ({ signal }) => await allKeys(signal),
});

/** Query for the account's own API keys. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: async ({ signal }) => (await allKeys(signal)).filter(({ kind }) => kind === "account"),
  // Scripts make keys too, and no event announces them.
  staleTime: 0,
});

/** Returns the query for the API keys of a managed team, the oldest first. */
export function teamKeysQuery(teamId: string) {
  return queryOptions({
    queryKey: ["keys", teamId],
    queryFn: async ({ signal }) => (await allKeys(signal)).filter((key) => key.teamId === teamId),
  });
}

async function allKeys(signal: AbortSignal): Promise<readonly ApiKey[]> {
  return (await client.keys.list({ limit: KEYS_SHOWN }, { signal })).items;
}

/** Query that keeps the key made last while the page is open, the only time that it is known; null for none. */
export const madeKeyQuery = queryOptions({
  queryKey: ["made-key"],
  queryFn: (): IssuedApiKey | null => null,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/** Properties of a new key. */
export interface KeyWish {
  /** Left out for a key of the account. */
  readonly teamId?: string | undefined;
  /** Empty for none. */
  readonly label: string;
  /** An RFC 3339 string; null for a key that does not expire. */
  readonly expiresAt: string | null;
  /** Whether the server refuses GET with the key. */
  readonly isPostOnly: boolean;
}

/** Makes a key, and keeps it for every view that shows it. */
export async function makeKey(
  queryClient: QueryClient,
  { teamId, label, expiresAt, isPostOnly }: KeyWish = {
    label: "",
    expiresAt: null,
    isPostOnly: false,
  },
): Promise<void> {
  const made = await client.keys.create({
    ...(teamId === undefined ? { kind: "account" } : { kind: "team", teamId }),
    ...(label === "" ? {} : { label }),
    ...(expiresAt === null ? {} : { expiresAt }),
    postOnly: isPostOnly,
  });
  await show(queryClient, made);
}

/** Replaces a key, which works for `overlapSeconds` more, and keeps the new one for every view that shows it. */
export async function rotateKey(
  queryClient: QueryClient,
  id: string,
  overlapSeconds: number,
): Promise<void> {
  await show(queryClient, await client.keys.rotate(id, { overlapSeconds }));
}

/** Switches a key between POST alone and GET too. */
export async function switchKey(
  queryClient: QueryClient,
  id: string,
  postOnly: boolean,
): Promise<void> {
  await client.keys.update(id, { postOnly });
  queryClient.setQueryData(madeKeyQuery.queryKey, (made) =>
    made?.id === id ? { ...made, postOnly } : made,
  );
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}

/** Keeps a new key for every view that shows it. */
export function showMadeKey(queryClient: QueryClient, made: IssuedApiKey): void {
  queryClient.setQueryData(madeKeyQuery.queryKey, made);
}

/** Revokes a key, and forgets it: a key that no longer sends must not be shown as the one to use. */
export async function revokeKey(queryClient: QueryClient, id: string): Promise<void> {
  await client.keys.remove(id);
  queryClient.setQueryData(madeKeyQuery.queryKey, (made) => (made?.id === id ? null : made));
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}

async function show(queryClient: QueryClient, made: IssuedApiKey): Promise<void> {
  showMadeKey(queryClient, made);
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}
