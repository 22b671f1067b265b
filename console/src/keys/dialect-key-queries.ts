import type { Dialect, IssuedApiKey } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import { keysQuery, type KeyInput } from "./key-queries.ts";

/** A new key for programs of another service, with the service. */
export interface IssuedDialectKey extends IssuedApiKey {
  readonly dialect: Dialect;
}

/**
 * Query that keeps the newest key for programs of another service in memory; null if there is none. It is not the new
 * key of `newKeyQuery`, with which the console writes commands for our own API.
 */
export const newDialectKeyQuery = queryOptions({
  queryKey: ["new-dialect-key"],
  queryFn: (): IssuedDialectKey | null => null,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/** The properties of a new key for programs of another service. */
export interface DialectKeyInput extends KeyInput {
  readonly dialect: Dialect;
  /** Empty for the default channel. */
  readonly channel: string;
}

/** Creates a key for programs of another service, and stores it for the views that show it. */
export async function createDialectKey(
  queryClient: QueryClient,
  { teamId, label, expiresAt, isPostOnly, dialect, channel }: DialectKeyInput,
): Promise<void> {
  const newKey = await client.keys.create({
    ...(teamId === undefined ? { kind: "account" } : { kind: "team", teamId }),
    ...(label === "" ? {} : { label }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(channel === "" ? {} : { channel }),
    postOnly: isPostOnly,
    dialect,
  });
  await storeAndRefresh(queryClient, { ...newKey, dialect });
}

/** Replaces a key for programs of another service. The old key works for `overlapSeconds` more. */
export async function rotateDialectKey(
  queryClient: QueryClient,
  { id, dialect }: { readonly id: string; readonly dialect: Dialect },
  overlapSeconds: number,
): Promise<void> {
  const newKey = await client.keys.rotate(id, { overlapSeconds });
  await storeAndRefresh(queryClient, { ...newKey, dialect });
}

/** Removes a key from the views that show a new one. */
export function forgetDialectKey(queryClient: QueryClient, id: string): void {
  queryClient.setQueryData(newDialectKeyQuery.queryKey, (newKey) =>
    newKey?.id === id ? null : newKey,
  );
}

async function storeAndRefresh(queryClient: QueryClient, newKey: IssuedDialectKey): Promise<void> {
  queryClient.setQueryData(newDialectKeyQuery.queryKey, newKey);
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}
