import { queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** How often the page asks whether somebody came in, and whether a device is there: the live stream may be cut. */
export const LOOK_EVERY_MS = 3_000;

/** Makes the pairing of an opened dialog; each `attempt` makes another one. */
export function pairingQuery(attempt: string) {
  return queryOptions({
    queryKey: ["pairing", attempt],
    queryFn: () => client.pairings.create(),
    staleTime: Number.POSITIVE_INFINITY,
    // Link and code are for this dialog alone.
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** Asks whether a browser came in by a pairing, until one did. */
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
