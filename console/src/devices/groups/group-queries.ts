import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type { DeviceGroup } from "@tocsin/sdk";
import { client } from "../../client.ts";

const GROUPS_MAX = 200;

/** Query for the account's device groups. */
export const groupsQuery = queryOptions({
  queryKey: ["groups"],
  queryFn: async ({ signal }): Promise<readonly DeviceGroup[]> =>
    (await client.groups.list({ limit: GROUPS_MAX }, { signal })).items,
});

/** The name and devices to save for a group. */
export interface GroupInput {
  readonly name: string;
  readonly deviceIds: readonly string[];
}

/** Creates a group if `id` is null; otherwise updates the group. */
export async function saveGroup(
  queryClient: QueryClient,
  id: string | null,
  input: GroupInput,
): Promise<void> {
  await (id === null ? client.groups.create(input) : client.groups.update(id, input));
  await queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey });
}

/** Deletes a group. Its devices stay. */
export async function removeGroup(queryClient: QueryClient, id: string): Promise<void> {
  await client.groups.remove(id);
  await queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey });
}
