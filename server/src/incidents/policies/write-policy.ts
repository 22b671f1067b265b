import { LIMITS } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { parseName } from "#devices/device.ts";
import { AppError, invalidField } from "#errors.ts";
import { attributeTargets } from "./attribute-targets.ts";
import { parseSteps } from "./parse-steps.ts";
import {
  parseReminder,
  type EscalationPolicy,
  type EscalationTarget,
  type PolicyManager,
  type PolicyOwner,
} from "./policy.ts";
import { findPolicyReach } from "./reach.ts";
import { findPolicy, insertPolicy, updatePolicy } from "./store/policies.ts";

/** A policy as a request describes it. */
export interface PolicyRequest {
  readonly name: string;
  /** As in the body, not yet checked. */
  readonly steps: unknown;
  readonly remindAfterSeconds: number | null;
}

/**
 * Creates a policy and returns it. Throws `invalid_field`, or `conflict` at the limit and for a name that another policy
 * of the owner has.
 */
export async function createPolicy(
  context: Context,
  {
    owner,
    writerId,
    request,
    actor,
  }: {
    readonly owner: PolicyOwner;
    /** The account that writes the policy. */
    readonly writerId: string;
    readonly request: PolicyRequest;
    readonly actor: Actor;
  },
): Promise<EscalationPolicy> {
  const now = context.now();
  const policy: EscalationPolicy = {
    id: context.newId(),
    owner,
    name: parseName(request.name),
    steps: await readSteps(context, {
      owner,
      writerId,
      requested: request.steps,
      previousSteps: [],
    }),
    remindAfterSeconds: parseReminder(request.remindAfterSeconds),
    createdAt: now,
    updatedAt: now,
  };
  await requireTargets(context, policy);
  const max = LIMITS.escalationPolicies;
  const result = await insertPolicy(context, { policy, actor, max });
  if (result === "stored") return policy;
  if (result === "name_taken") throw createNameTakenError(owner);
  const subject = owner.kind === "account" ? "An account" : "A team";
  const message = `${subject} has at most ${max} escalation policies. Delete one.`;
  throw new AppError("conflict", message);
}

/**
 * Changes a policy and returns it; null if the manager has no such policy. Absent parts keep their value. Throws the
 * same errors as `createPolicy`.
 */
export async function changePolicy(
  context: Context,
  {
    manager,
    policyId,
    request,
    actor,
  }: {
    readonly manager: PolicyManager;
    readonly policyId: string;
    readonly request: Partial<PolicyRequest>;
    readonly actor: Actor;
  },
): Promise<EscalationPolicy | null> {
  const policy = await findPolicy(context, { manager, policyId });
  if (policy === null) return null;
  const { owner, steps: previousSteps } = policy;
  const { name, steps: requested, remindAfterSeconds } = request;
  const stepsToRead = { owner, writerId: manager.accountId, requested, previousSteps };
  const change = {
    ...(name === undefined ? {} : { name: parseName(name) }),
    ...(requested === undefined ? {} : { steps: await readSteps(context, stepsToRead) }),
    ...(remindAfterSeconds === undefined
      ? {}
      : { remindAfterSeconds: parseReminder(remindAfterSeconds) }),
  };
  if (change.steps !== undefined) await requireTargets(context, { ...policy, ...change });
  const changedPolicy = await updatePolicy(context, { owner, policyId, change, actor });
  if (changedPolicy === "name_taken") throw createNameTakenError(owner);
  return changedPolicy;
}

/** Returns the steps of a request, with the owners of the groups and devices in a team's policy. */
async function readSteps(
  context: Context,
  {
    owner,
    writerId,
    requested,
    previousSteps,
  }: {
    readonly owner: PolicyOwner;
    readonly writerId: string;
    readonly requested: unknown;
    readonly previousSteps: EscalationPolicy["steps"];
  },
): Promise<EscalationPolicy["steps"]> {
  const steps = parseSteps(requested, owner.kind);
  if (owner.kind === "account") return steps;
  return attributeTargets(context, { teamId: owner.teamId, writerId, steps, previousSteps });
}

/** Throws `invalid_field` for a missing target, and the same error for a target of another owner. */
async function requireTargets(context: Context, policy: EscalationPolicy): Promise<void> {
  const reach = (await findPolicyReach(context, [policy])).get(policy.id) ?? [];
  for (const [step, targets] of reach.entries()) {
    const index = targets.findIndex(({ isMissing }) => isMissing);
    const missing = targets[index];
    if (missing === undefined) continue;
    throw createNoSuchTargetError(`steps[${step}].targets[${index}]`, missing.target);
  }
}

function createNoSuchTargetError(path: string, { kind }: EscalationTarget): AppError {
  switch (kind) {
    case "group":
      return invalidField(`${path}.groupId`, `${path}.groupId must be one of your device groups.`);
    case "device":
      return invalidField(`${path}.deviceId`, `${path}.deviceId must be one of your devices.`);
    case "member":
    case "mail":
      return invalidField(
        `${path}.accountId`,
        `${path}.accountId must be the member id of a current member of the team.`,
      );
    case "me":
    case "team":
    case "callback":
      // The owner was deleted meanwhile.
      return new AppError("not_found", "The owner of this escalation policy no longer exists.");
  }
}

function createNameTakenError({ kind }: PolicyOwner): AppError {
  const subject = kind === "account" ? "You have" : "The team has";
  const message = `${subject} an escalation policy with this name already. Choose another name.`;
  return new AppError("conflict", message, { field: "name" });
}
