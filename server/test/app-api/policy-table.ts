import type { AccessEntry } from "./access-table.ts";
import type { AppFixture } from "./app-fixture.ts";
import { expectEveryone, expectHiddenFromMembers, expectOwner } from "./expected-statuses.ts";

const STEPS = [{ afterSeconds: 0, targets: [{ kind: "callback" }] }] as const;

let nameCount = 0;
/** Returns the body of a new policy with a unique name. */
function createPolicyBody() {
  nameCount += 1;
  return { name: `Nights ${nameCount}`, steps: STEPS };
}

/** Creates an escalation policy of the owner; returns its id, as path parameters. */
const createPolicy = async ({ owner }: AppFixture) => {
  const { id } = await owner.client.escalationPolicies.create(createPolicyBody());
  return [id];
};

/** Creates a team and an escalation policy of the team; returns the policy's id, as path parameters. */
const createTeamPolicy = async (fixture: AppFixture) => {
  const { id: teamId } = await fixture.createTeam();
  const policies = fixture.owner.client.escalationPolicies;
  return [(await policies.create({ ...createPolicyBody(), teamId })).id];
};

/** Entries for the operations on escalation policies. */
export const POLICY_ENTRIES: readonly AccessEntry[] = [
  { operation: "listEscalationPolicies", statuses: expectEveryone(200) },
  {
    operation: "createEscalationPolicy",
    statuses: expectEveryone(201),
    createBody: createPolicyBody,
  },
  ...[
    { createIds: createPolicy, expectStatuses: expectOwner },
    { createIds: createTeamPolicy, expectStatuses: expectHiddenFromMembers },
  ].flatMap(({ createIds, expectStatuses }) => [
    {
      operation: "updateEscalationPolicy",
      statuses: expectStatuses(200),
      createIds,
      createBody: () => ({ ...createPolicyBody(), remindAfterSeconds: 600 }),
    },
    { operation: "testEscalationPolicy", statuses: expectStatuses(200), createIds },
    { operation: "removeEscalationPolicy", statuses: expectStatuses(204), createIds },
  ]),
];
