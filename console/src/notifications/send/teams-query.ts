import { queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** Asks for the teams that one is in. */
export const teamsQuery = queryOptions({
  queryKey: ["teams", "choice"],
  queryFn: async ({ signal }) => (await client.teams.list({ limit: 200 }, { signal })).items,
});
