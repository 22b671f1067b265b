import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Dialect } from "@tocsin/sdk";
import { client } from "../client.ts";

/** Query for the APIs of other services that the server speaks. They change only when it restarts. */
export const dialectsQuery = queryOptions({
  queryKey: ["dialects"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => client.keys.dialects({ signal }),
});

/** Returns the APIs of other services that the server speaks; none while the query loads. */
export function useDialects(): readonly Dialect[] {
  return useQuery(dialectsQuery).data?.items ?? [];
}

/** Returns the host that is asked to wake the app of ntfy on iPhones; null if there is none, or while the query loads. */
export function useNtfyUpstream(): string | null {
  return useQuery(dialectsQuery).data?.ntfyUpstream ?? null;
}
