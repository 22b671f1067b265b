import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ServiceTrouble } from "@tocsin/sdk";
import { client } from "../client.ts";

/** Refetch interval: a service fails and recovers by itself, and no event announces it. A hidden page does not ask. */
const LOOK_EVERY_MS = 15_000;

const troublesQuery = queryOptions({
  queryKey: ["troubles"],
  refetchInterval: LOOK_EVERY_MS,
  refetchOnWindowFocus: "always",
  queryFn: async ({ signal }) => (await client.troubles({ signal })).items,
});

/** Returns the push services in trouble that concern the signed-in account; none while they are unknown. */
export function useServiceTroubles(): readonly ServiceTrouble[] {
  return useQuery(troublesQuery).data ?? [];
}
