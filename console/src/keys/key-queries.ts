import type { ApiKey, IssuedApiKey } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";

/** What the list shows at most; the server can tell more. */
const KEYS_SHOWN = 50;

/** Asks for the account's own API keys. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: async ({ signal }): Promise<readonly ApiKey[]> => {
    const { items } = await client.keys.list({ limit: KEYS_SHOWN }, { signal });
    return items.filter(({ kind }) => kind === "account");
  },
});

/** The key that was made last while the page is open, the only time that it is known; null for none. */
export const madeKeyQuery = queryOptions({
  queryKey: ["made-key"],
  queryFn: (): IssuedApiKey | null => null,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/** Makes an account key and keeps it for all that show it. */
export async function makeKey(queryClient: QueryClient, label: string): Promise<void> {
  const made = await client.keys.create({ kind: "account", ...(label === "" ? {} : { label }) });
  queryClient.setQueryData(madeKeyQuery.queryKey, made);
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}

/** Revokes a key: what no longer sends must not stand anywhere as the key to use. */
export async function revokeKey(queryClient: QueryClient, id: string): Promise<void> {
  await client.keys.remove(id);
  queryClient.setQueryData(madeKeyQuery.queryKey, (made) => (made?.id === id ? null : made));
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}
