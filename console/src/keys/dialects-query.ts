import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Dialect } from "@tocsin/sdk";
import { client } from "../client.ts";

/** Query for the APIs of other services that the server speaks. They change only when it restarts. */
const dialectsQuery = queryOptions({
  queryKey: ["dialects"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) => (await client.keys.dialects({ signal })).items,
});

/** Returns the APIs of other services that the server speaks; none while the query loads. */
export function useDialects(): readonly Dialect[] {
  return useQuery(dialectsQuery).data ?? [];
}
