import type { Context } from "#context.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { readOwnedRecipients, type OwnedRecipients } from "./owned-recipients.ts";
import {
  getOwnerId,
  type EscalationPolicy,
  type EscalationTarget,
  type OwnedTarget,
  type PolicyOwner,
} from "./policy.ts";
import {
  findMemberRecipients,
  findPersonRecipient,
  findTeamRecipient,
  type NamedRecipient,
  type PersonRecipient,
} from "./store/recipients.ts";

/** A target with the devices and people that it reaches now. */
export interface TargetReach {
  readonly target: EscalationTarget;
  /** The name of the group, device, person or team; null for a callback and for a missing target. */
  readonly name: string | null;
  /** The member to whom the group or device of a team's policy belongs; null for every other target. */
  readonly deviceOwner: { readonly accountId: string; readonly name: string } | null;
  /** Whether the group, device or member no longer exists. */
  readonly isMissing: boolean;
  /** The devices to ring; null for an email, a callback and a missing target. */
  readonly audience: Audience | null;
  /** The verified address to write to; null for every other target. */
  readonly mailTo: { readonly accountId: string; readonly email: string } | null;
  /** The number of devices of the audience that are not paused. */
  readonly deviceCount: number;
  /** The number of people that these devices or the email reach. */
  readonly personCount: number;
}

/**
 * Returns the reach of targets of one owner, in the order of the targets. The reach changes with devices, groups and
 * members.
 */
export async function findReach(
  context: Context,
  {
    owner,
    targets,
  }: { readonly owner: PolicyOwner; readonly targets: readonly EscalationTarget[] },
): Promise<readonly TargetReach[]> {
  const getTargetReach =
    owner.kind === "account"
      ? await createAccountReach(context, { accountId: owner.accountId, targets })
      : await createTeamReach(context, { teamId: owner.teamId, targets });
  return targets.map((target) => ({ target, ...getTargetReach(target) }));
}

/** Returns the reach of the steps of each policy, by the policy's id. Reads once for each owner. */
export async function findPolicyReach(
  context: Context,
  policies: readonly EscalationPolicy[],
): Promise<ReadonlyMap<string, readonly (readonly TargetReach[])[]>> {
  const reachByPolicy = new Map<string, readonly (readonly TargetReach[])[]>();
  for (const ownPolicies of Map.groupBy(policies, ({ owner }) => getOwnerId(owner)).values()) {
    const [first] = ownPolicies;
    if (first === undefined) continue;
    const targets = ownPolicies.flatMap(({ steps }) => steps.flatMap((step) => step.targets));
    const reach = await findReach(context, { owner: first.owner, targets });
    let position = 0;
    for (const { id, steps } of ownPolicies) {
      const stepReach: TargetReach[][] = [];
      for (const step of steps) {
        stepReach.push(reach.slice(position, position + step.targets.length));
        position += step.targets.length;
      }
      reachByPolicy.set(id, stepReach);
    }
  }
  return reachByPolicy;
}

/** The reach of a target, without the target. */
type Reach = Omit<TargetReach, "target">;

const NO_REACH: Reach = {
  name: null,
  deviceOwner: null,
  isMissing: false,
  audience: null,
  mailTo: null,
  deviceCount: 0,
  personCount: 0,
};
const MISSING_TARGET: Reach = { ...NO_REACH, isMissing: true };

async function createAccountReach(
  context: Context,
  {
    accountId,
    targets,
  }: { readonly accountId: string; readonly targets: readonly EscalationTarget[] },
): Promise<(target: EscalationTarget) => Reach> {
  const person = await findPersonRecipient(context, accountId);
  const owned = await readOwnedRecipients(context, [accountId], targets);
  return (target) => {
    switch (target.kind) {
      case "me":
        return toPersonReach(person);
      case "mail":
        return toMailReach(person);
      case "group":
      case "device":
        return toOwnedReach(person, target, owned);
      case "callback":
        return NO_REACH;
      case "member":
      case "team":
        return MISSING_TARGET;
    }
  };
}

async function createTeamReach(
  context: Context,
  { teamId, targets }: { readonly teamId: string; readonly targets: readonly EscalationTarget[] },
): Promise<(target: EscalationTarget) => Reach> {
  const memberIds = new Set(
    targets.flatMap((target) => ("memberId" in target ? (target.memberId ?? []) : [])),
  );
  const members = await findMemberRecipients(context, { teamId, memberIds: [...memberIds] });
  const owned = await readOwnedRecipients(context, listOwnerIds(targets, members), targets);
  const team = targets.some(({ kind }) => kind === "team")
    ? await findTeamRecipient(context, teamId)
    : null;
  return (target) => {
    switch (target.kind) {
      case "member":
        return toPersonReach(members.get(target.memberId) ?? null);
      case "mail":
        return toMailReach(members.get(target.memberId ?? "") ?? null);
      case "team":
        return team === null
          ? MISSING_TARGET
          : { ...NO_REACH, ...team, audience: { kind: "team", teamId } };
      case "callback":
        return NO_REACH;
      case "group":
      case "device":
        return toMemberReach(members.get(target.memberId ?? "") ?? null, target, owned);
      case "me":
        return MISSING_TARGET;
    }
  };
}

/** Returns the accounts of the members whose groups and devices are targets. */
function listOwnerIds(
  targets: readonly EscalationTarget[],
  members: ReadonlyMap<string, PersonRecipient>,
): readonly string[] {
  const owned = targets.filter(({ kind }) => kind === "group" || kind === "device");
  const owners = owned.flatMap((target) =>
    "memberId" in target ? (members.get(target.memberId ?? "") ?? []) : [],
  );
  return [...new Set(owners.map(({ accountId }) => accountId))];
}

function toPersonReach(person: PersonRecipient | null): Reach {
  if (person === null) return MISSING_TARGET;
  const { accountId, name, deviceCount } = person;
  const personCount = deviceCount > 0 ? 1 : 0;
  return { ...NO_REACH, name, audience: { kind: "account", accountId }, deviceCount, personCount };
}

function toMemberReach(
  person: PersonRecipient | null,
  target: OwnedTarget,
  owned: OwnedRecipients,
): Reach {
  const reach = toOwnedReach(person, target, owned);
  if (person === null || reach.isMissing) return MISSING_TARGET;
  return { ...reach, deviceOwner: { accountId: person.accountId, name: person.name } };
}

function toOwnedReach(
  person: PersonRecipient | null,
  target: OwnedTarget,
  owned: OwnedRecipients,
): Reach {
  if (person === null) return MISSING_TARGET;
  const { accountId } = person;
  const own = owned.get(accountId);
  if (target.kind === "group") {
    const { kind, groupId } = target;
    return toDeviceReach(person, own?.groups.get(groupId), { kind, accountId, groupId });
  }
  const { kind, deviceId } = target;
  return toDeviceReach(person, own?.devices.get(deviceId), { kind, accountId, deviceId });
}

function toDeviceReach(
  person: PersonRecipient,
  recipient: NamedRecipient | undefined,
  audience: Audience,
): Reach {
  if (recipient === undefined) return MISSING_TARGET;
  const deviceCount = person.isSuspended ? 0 : recipient.deviceCount;
  const personCount = deviceCount > 0 ? 1 : 0;
  return { ...NO_REACH, name: recipient.name, audience, deviceCount, personCount };
}

/** Reaches a person only at a verified address, because nobody else may receive the texts of incidents. */
function toMailReach(person: PersonRecipient | null): Reach {
  if (person === null) return MISSING_TARGET;
  const { accountId, name, email, isEmailVerified, isSuspended } = person;
  if (!isEmailVerified || isSuspended) return { ...NO_REACH, name };
  return { ...NO_REACH, name, mailTo: { accountId, email }, personCount: 1 };
}
