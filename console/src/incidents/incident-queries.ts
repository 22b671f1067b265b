import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type { Incident, IncidentDetail } from "@tocsin/sdk";
import { client } from "../client.ts";
import { refreshFeed } from "../notifications/feed/feed-queries.ts";

/** Maximum number of open incidents in a list. */
const OPEN_MAX = 200;
/** Maximum number of resolved incidents in a list; the newest are shown. */
const RESOLVED_MAX = 50;

/** Query for the open incidents that the account was notified of. */
export const openIncidentsQuery = queryOptions({
  queryKey: ["incidents", "open"],
  queryFn: async ({ signal }): Promise<readonly Incident[]> =>
    (await client.incidents.list({ state: "open", limit: OPEN_MAX }, { signal })).items,
  staleTime: 0,
});

/** Query for the newest resolved incidents that the account was notified of. */
export const resolvedIncidentsQuery = queryOptions({
  queryKey: ["incidents", "resolved"],
  queryFn: async ({ signal }): Promise<readonly Incident[]> =>
    (await client.incidents.list({ state: "resolved", limit: RESOLVED_MAX }, { signal })).items,
  staleTime: 0,
});

/** Returns the query for one incident with its history. */
export function createIncidentQuery(id: string) {
  return queryOptions({
    queryKey: ["incidents", "one", id],
    queryFn: ({ signal }): Promise<IncidentDetail> => client.incidents.get(id, { signal }),
    staleTime: 0,
  });
}

/** The acts of a person on one incident. */
export type IncidentActName = "acknowledge" | "escalate" | "resolve" | "ringAgain";

/** Acts on an incident. Returns false if the act changed nothing, because somebody was faster. */
export async function actOnIncident(
  queryClient: QueryClient,
  act: IncidentActName,
  id: string,
): Promise<boolean> {
  try {
    return (await client.incidents[act](id)).isChanged;
  } finally {
    // An error can mean that the page shows an earlier state.
    await refreshIncidents(queryClient);
  }
}

/** Maximum number of incidents in one request. */
const ACKNOWLEDGED_MAX = 100;

/** Acknowledges several incidents, in as few requests as possible. */
export async function acknowledgeAll(
  queryClient: QueryClient,
  ids: readonly string[],
): Promise<void> {
  try {
    for (let start = 0; start < ids.length; start += ACKNOWLEDGED_MAX)
      await client.incidents.acknowledgeAll(ids.slice(start, start + ACKNOWLEDGED_MAX));
  } finally {
    await refreshIncidents(queryClient);
  }
}

async function refreshIncidents(queryClient: QueryClient): Promise<void> {
  refreshFeed(queryClient);
  await queryClient.invalidateQueries({ queryKey: ["incidents"] });
}
