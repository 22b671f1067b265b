import type { Context } from "#context.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { EscalationPolicy, EscalationTarget } from "./policy.ts";
import { findPolicyReach, type TargetReach } from "./reach.ts";

/** Converts policies to their form in responses to a reader, with the devices and people that they reach now. */
export async function toPolicyResponses(
  { context, sendsMail }: { readonly context: Context; readonly sendsMail: boolean },
  {
    policies,
    readerId,
  }: { readonly policies: readonly EscalationPolicy[]; readonly readerId: string },
) {
  const reachByPolicy = await findPolicyReach(context, policies);
  return policies.map((policy) => ({
    ...toPolicyFields(policy),
    steps: (reachByPolicy.get(policy.id) ?? []).map((targets, index) => ({
      afterSeconds: policy.steps[index]?.afterSeconds ?? 0,
      targets: targets.map((reach) => toReachResponse(reach, { sendsMail, readerId })),
    })),
  }));
}

/** Converts a policy to its form in an account's export. */
export function toExportedPolicy(policy: EscalationPolicy) {
  const { id, name, remindAfterSeconds, createdAt, updatedAt } = toPolicyFields(policy);
  const steps = policy.steps.map(({ afterSeconds, targets }) => ({
    afterSeconds,
    targets: targets.map(toTargetResponse),
  }));
  return { id, name, steps, remindAfterSeconds, createdAt, updatedAt };
}

function toPolicyFields(policy: EscalationPolicy) {
  const { id, owner, name, remindAfterSeconds, createdAt, updatedAt } = policy;
  return {
    id,
    teamId: owner.kind === "team" ? owner.teamId : null,
    name,
    remindAfterSeconds,
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
  };
}

/**
 * Converts the reach of a target to its form in responses to a reader. A server that sends no emails reaches nobody by
 * email. People name their groups and devices for themselves, so other members read only the name of the owner.
 */
export function toReachResponse(
  reach: TargetReach,
  { sendsMail, readerId }: { readonly sendsMail: boolean; readonly readerId: string },
) {
  const { target, isMissing, deviceCount, deviceOwner } = reach;
  const personCount = target.kind === "mail" && !sendsMail ? 0 : reach.personCount;
  return {
    ...toTargetResponse(target),
    name: deviceOwner === null || deviceOwner.accountId === readerId ? reach.name : null,
    ...(deviceOwner === null ? {} : { ownerName: deviceOwner.name }),
    missing: isMissing,
    deviceCount,
    personCount,
    // Only a send knows its callback URL.
    reachesNobody: target.kind !== "callback" && personCount === 0,
  };
}

/** The API names a member by `accountId`, as its list of members does. */
function toTargetResponse(target: EscalationTarget) {
  const { kind } = target;
  switch (kind) {
    case "group":
      return { kind, groupId: target.groupId };
    case "device":
      return { kind, deviceId: target.deviceId };
    case "member":
      return { kind, accountId: target.memberId };
    case "mail":
      return { kind, ...(target.memberId === null ? {} : { accountId: target.memberId }) };
    case "me":
    case "team":
    case "callback":
      return { kind };
  }
}
