import { queryOptions } from "@tanstack/react-query";
import { client } from "../client.ts";

/** Maximum number of incidents to count. */
const COUNTED_MAX = 100;

/** Query for the number of incidents that ring, of those of which the account was told. Live events refetch it. */
export const ringingCountQuery = queryOptions({
  queryKey: ["incidents", "ringing"],
  queryFn: async ({ signal }) => {
    const query = { state: "triggered", limit: COUNTED_MAX } as const;
    const { items } = await client.incidents.list(query, { signal });
    return items.filter(({ nextRoundAt }) => nextRoundAt !== null).length;
  },
});
