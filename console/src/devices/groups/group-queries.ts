import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type { DeviceGroup } from "@tocsin/sdk";
import { client } from "../../client.ts";

const GROUPS_SHOWN = 200;

/** Query for the account's device groups. */
export const groupsQuery = queryOptions({
  queryKey: ["groups"],
  queryFn: async ({ signal }): Promise<readonly DeviceGroup[]> =>
    (await client.groups.list({ limit: GROUPS_SHOWN }, { signal })).items,
});

/** Requested name and devices of a group. */
export interface GroupWish {
  readonly name: string;
  readonly deviceIds: readonly string[];
}

/** Makes a group, or changes the one with the id. */
export async function saveGroup(
  queryClient: QueryClient,
  id: string | null,
  wish: GroupWish,
): Promise<void> {
  await (id === null ? client.groups.create(wish) : client.groups.update(id, wish));
  await queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey });
}

/** Deletes a group; its devices stay. */
export async function removeGroup(queryClient: QueryClient, id: string): Promise<void> {
  await client.groups.remove(id);
  await queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey });
}
