import { queryOptions } from "@tanstack/react-query";
import type { DeliveryDetail } from "@tocsin/sdk";
import { client } from "../../client.ts";
import { hasFailed, isWaiting } from "../log/fates.ts";

/** Deliveries that a feed shows; the delivery log has the others. */
const SHOWN_MAX = 20;
/** Polling interval: the live stream publishes nothing about a team's deliveries to its readers. */
const LOOK_EVERY_MS = 5_000;

/** Returns the query for deliveries, failures first: on all devices for a team manager, else on the reader's own. */
export function arrivalsQuery(id: string, isManager: boolean) {
  return queryOptions({
    queryKey: ["log", "one", id, isManager ? "first" : "own"],
    queryFn: async ({ signal }): Promise<readonly DeliveryDetail[]> => {
      const query = { limit: SHOWN_MAX };
      const { items } = isManager
        ? await client.notifications.deliveries(id, query, { signal })
        : await client.feed.deliveries(id, query, { signal });
      return items.toSorted((one, other) => rankOf(one) - rankOf(other));
    },
    refetchInterval: ({ state }) =>
      state.data?.some((delivery) => isWaiting(delivery)) === true ? LOOK_EVERY_MS : false,
  });
}

function rankOf(delivery: DeliveryDetail): number {
  if (hasFailed(delivery)) return 0;
  return isWaiting(delivery) ? 1 : 2;
}
