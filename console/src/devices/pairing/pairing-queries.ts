import { queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** Polling interval for a pairing and its device: the live stream may be cut. */
export const LOOK_EVERY_MS = 3_000;

/** Returns the query that makes the pairing of an opened dialog; each `attempt` makes another one. */
export function pairingQuery(attempt: string) {
  return queryOptions({
    queryKey: ["pairing", attempt],
    queryFn: () => client.pairings.create(),
    staleTime: Number.POSITIVE_INFINITY,
    // Link and code belong to this dialog alone.
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** Returns the query that polls a pairing until a browser has used it. */
export function pairingStateQuery(id: string | null) {
  return queryOptions({
    queryKey: ["pairing-state", id],
    queryFn: ({ signal }) => client.pairings.get(id ?? "", { signal }),
    enabled: id !== null,
    gcTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === "waiting" ? LOOK_EVERY_MS : false,
  });
}
