import { queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** Polling interval for a pairing and its device, in case the live stream is down. */
export const POLL_INTERVAL_MS = 3_000;

/** Returns the query that creates the pairing of an open dialog. Each `attempt` creates another pairing. */
export function createPairingQuery(attempt: string) {
  return queryOptions({
    queryKey: ["pairing", attempt],
    queryFn: () => client.pairings.create(),
    staleTime: Number.POSITIVE_INFINITY,
    // The link and the code belong to this dialog only.
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** Returns the query that polls a pairing until a browser has used it. */
export function createPairingStateQuery(id: string | null) {
  return queryOptions({
    queryKey: ["pairing-state", id],
    queryFn: ({ signal }) => client.pairings.get(id ?? "", { signal }),
    enabled: id !== null,
    gcTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === "waiting" ? POLL_INTERVAL_MS : false,
  });
}
