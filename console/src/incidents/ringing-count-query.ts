import { queryOptions } from "@tanstack/react-query";
import { client } from "../client.ts";

/** Maximum number of incidents, and of prompts, to count. */
const COUNTED_MAX = 100;

/** Query for the number of incidents and prompts that ring for the account. Live events refetch it. */
export const ringingCountQuery = queryOptions({
  queryKey: ["incidents", "ringing"],
  queryFn: async ({ signal }) => {
    const [incidents, prompts] = await Promise.all([
      client.incidents.list({ state: "triggered", limit: COUNTED_MAX }, { signal }),
      client.prompts.list({ state: "open", limit: COUNTED_MAX }, { signal }),
    ]);
    return (
      // In its last round, an incident still rings but has no next one.
      incidents.items.filter(({ expiresAt }) => expiresAt !== null).length +
      prompts.items.filter(({ isRinging }) => isRinging).length
    );
  },
});
