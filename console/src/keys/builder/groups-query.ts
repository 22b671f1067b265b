import { queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** Asks for the device groups that a request may name. */
export const groupsQuery = queryOptions({
  queryKey: ["groups"],
  queryFn: async ({ signal }) => (await client.groups.list({ limit: 200 }, { signal })).items,
});
