import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ServiceTrouble } from "@tocsin/sdk";
import { client } from "../client.ts";

/** Refetch interval. No live event reports that a service fails or recovers. A hidden page does not refetch. */
const REFETCH_INTERVAL_MS = 15_000;

const troublesQuery = queryOptions({
  queryKey: ["troubles"],
  refetchInterval: REFETCH_INTERVAL_MS,
  refetchOnWindowFocus: "always",
  queryFn: async ({ signal }) => (await client.troubles({ signal })).items,
});

/** Returns the push services in trouble that affect the signed-in account; empty while the query loads. */
export function useServiceTroubles(): readonly ServiceTrouble[] {
  return useQuery(troublesQuery).data ?? [];
}
