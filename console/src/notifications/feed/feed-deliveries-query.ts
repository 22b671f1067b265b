import { queryOptions } from "@tanstack/react-query";
import type { DeliveryDetail } from "@tocsin/sdk";
import { client } from "../../client.ts";
import { hasFailed, isWaiting } from "../log/state-groups.ts";

/** Maximum number of deliveries in the feed. The delivery log shows all. */
const DELIVERIES_MAX = 20;
/** Polling interval. The live stream does not publish deliveries of team notifications to the team's members. */
const POLL_INTERVAL_MS = 5_000;

/**
 * Returns the query for the deliveries of a notification, failures first. A team manager gets the deliveries to all
 * devices, and other readers get the deliveries to their own devices.
 */
export function createFeedDeliveriesQuery(id: string, isManager: boolean) {
  return queryOptions({
    queryKey: ["log", "one", id, isManager ? "first" : "own"],
    queryFn: async ({ signal }): Promise<readonly DeliveryDetail[]> => {
      const query = { limit: DELIVERIES_MAX };
      const { items } = isManager
        ? await client.notifications.deliveries(id, query, { signal })
        : await client.feed.deliveries(id, query, { signal });
      return items.toSorted((a, b) => getRank(a) - getRank(b));
    },
    refetchInterval: ({ state }) =>
      state.data?.some((delivery) => isWaiting(delivery)) === true ? POLL_INTERVAL_MS : false,
  });
}

function getRank(delivery: DeliveryDetail): number {
  if (hasFailed(delivery)) return 0;
  return isWaiting(delivery) ? 1 : 2;
}
