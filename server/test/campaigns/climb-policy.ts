import type { People } from "./people.ts";

/** The time between two steps. */
const STEP_S = 2;

/** The name of the policy, which triggers give as `escalation`. */
export const CLIMB_POLICY = "Climb";

/** Creates the policy whose steps each ring a further group of Ann's devices. */
export async function createClimbPolicy({ ann, groupIds }: People): Promise<void> {
  await ann.client.escalationPolicies.create({
    name: CLIMB_POLICY,
    steps: groupIds.map((groupId, index) => ({
      afterSeconds: index * STEP_S,
      targets: [{ kind: "group", groupId }],
    })),
  });
}
