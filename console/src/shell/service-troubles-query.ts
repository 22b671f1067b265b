import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ServiceTrouble } from "@tocsin/sdk";
import { client } from "../client.ts";

/** A service falls ill and recovers by itself, and no event tells of it; a page that is not seen asks nothing. */
const LOOK_EVERY_MS = 15_000;

const troublesQuery = queryOptions({
  queryKey: ["troubles"],
  refetchInterval: LOOK_EVERY_MS,
  refetchOnWindowFocus: "always",
  queryFn: async ({ signal }) => (await client.troubles({ signal })).items,
});

/** Returns the push services in trouble that concern who is signed in; none while that is not known. */
export function useServiceTroubles(): readonly ServiceTrouble[] {
  return useQuery(troublesQuery).data ?? [];
}
