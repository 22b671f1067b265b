import type { ApiKey, IssuedApiKey } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";

/** What the list shows at most. */
const KEYS_SHOWN = 200;

/** Asks for every API key that one may manage: the account's own, and those of one's teams. */
export const allKeysQuery = queryOptions({
  queryKey: ["keys", "all"],
  queryFn: async ({ signal }) => await allKeys(signal),
});

/** Asks for the account's own API keys. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: async ({ signal }) => (await allKeys(signal)).filter(({ kind }) => kind === "account"),
  // Keys are made in scripts too, and no event tells of them.
  staleTime: 0,
});

/** Asks for the API keys of a team that one manages, the oldest first. */
export function teamKeysQuery(teamId: string) {
  return queryOptions({
    queryKey: ["keys", teamId],
    queryFn: async ({ signal }) => (await allKeys(signal)).filter((key) => key.teamId === teamId),
  });
}

async function allKeys(signal: AbortSignal): Promise<readonly ApiKey[]> {
  return (await client.keys.list({ limit: KEYS_SHOWN }, { signal })).items;
}

/** The key that was made last while the page is open, the only time that it is known; null for none. */
export const madeKeyQuery = queryOptions({
  queryKey: ["made-key"],
  queryFn: (): IssuedApiKey | null => null,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/** What a person says of a new key. */
export interface KeyWish {
  /** Not given for a key of the account. */
  readonly teamId?: string | undefined;
  /** Empty for none. */
  readonly label: string;
  /** An RFC 3339 string; null for a key without end. */
  readonly expiresAt: string | null;
  /** GET with it is refused. */
  readonly isPostOnly: boolean;
}

/** Makes a key and keeps it for all that show it. */
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

/** Makes a key in the place of another, which works so many seconds longer, and keeps it for all that show it. */
export async function rotateKey(
  queryClient: QueryClient,
  id: string,
  overlapSeconds: number,
): Promise<void> {
  await show(queryClient, await client.keys.rotate(id, { overlapSeconds }));
}

/** Lets a key send by POST alone, or by GET too. */
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

/** Keeps a key that was just made for all that show it. */
export function showMadeKey(queryClient: QueryClient, made: IssuedApiKey): void {
  queryClient.setQueryData(madeKeyQuery.queryKey, made);
}

/** Revokes a key: what no longer sends must not stand anywhere as the key to use. */
export async function revokeKey(queryClient: QueryClient, id: string): Promise<void> {
  await client.keys.remove(id);
  queryClient.setQueryData(madeKeyQuery.queryKey, (made) => (made?.id === id ? null : made));
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}

async function show(queryClient: QueryClient, made: IssuedApiKey): Promise<void> {
  showMadeKey(queryClient, made);
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}
