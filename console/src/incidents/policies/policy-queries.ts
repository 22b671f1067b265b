import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type { EscalationPolicy, EscalationStep } from "@tocsin/sdk";
import { client } from "../../client.ts";

/** Maximum number of policies in a list. */
const POLICIES_MAX = 200;

/** Query for the escalation policies of the account and of the teams that it manages. */
export const policiesQuery = queryOptions({
  queryKey: ["escalation-policies"],
  queryFn: async ({ signal }): Promise<readonly EscalationPolicy[]> =>
    (await client.escalationPolicies.list({ limit: POLICIES_MAX }, { signal })).items,
  // The recipients of a policy change with devices, groups and members, and no live event reports them all.
  staleTime: 0,
});

/** The fields of a policy to save. */
export interface PolicyInput {
  /** Null for a policy of the account. Used only for a new policy: the owner of an existing one does not change. */
  readonly teamId: string | null;
  readonly name: string;
  readonly steps: readonly EscalationStep[];
  /** Null for no reminder. */
  readonly remindAfterSeconds: number | null;
}

/** Creates a policy if `id` is null; otherwise updates the policy. */
export async function savePolicy(
  queryClient: QueryClient,
  id: string | null,
  { teamId, ...content }: PolicyInput,
): Promise<void> {
  await (id === null
    ? client.escalationPolicies.create({ ...content, ...(teamId === null ? {} : { teamId }) })
    : client.escalationPolicies.update(id, content));
  await queryClient.invalidateQueries({ queryKey: policiesQuery.queryKey });
}

/** Deletes a policy. Keys that used it then have no policy. */
export async function removePolicy(queryClient: QueryClient, id: string): Promise<void> {
  await client.escalationPolicies.remove(id);
  await queryClient.invalidateQueries({ queryKey: policiesQuery.queryKey });
  await queryClient.invalidateQueries({ queryKey: ["keys"] });
}
