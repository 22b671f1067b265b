import type { Context } from "#context.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";
import type { Target } from "#devices/device.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import { findCurrentMembers } from "#teams/store/teams.ts";
import { findNextStep, type Incident, type IncidentOwner } from "./incident.ts";
import type { EscalationTarget } from "./policies/policy.ts";

/** An audience with its devices as they are now; null if there are too many to ring. */
export interface AudienceDevices {
  readonly audience: Audience;
  readonly devices: readonly Target[] | null;
}

/** The people of a step as they are now. */
export interface ResolvedStep {
  readonly audiences: readonly AudienceDevices[];
  /** The accounts to mail. */
  readonly mailAccountIds: readonly string[];
  readonly callsBack: boolean;
}

type StepOwner = Pick<Incident, "policy" | "step" | "audience" | "owner">;

/**
 * Returns the people of an incident's next step. Without a policy, the sender's audience is the only step. Null if
 * there is no further step.
 */
export async function resolveNextStep(
  context: Context,
  incident: StepOwner,
): Promise<ResolvedStep | null> {
  const { policy, step, audience, owner } = incident;
  if (policy === null) {
    if (step > 0) return null;
    const audiences = await readDevices(context, [audience]);
    return { audiences, mailAccountIds: [], callsBack: false };
  }
  const next = findNextStep(incident);
  if (next === null) return null;
  const memberIds = await findMembers(context, owner, next.targets);
  return {
    audiences: await readDevices(
      context,
      next.targets.flatMap((target) => toTargetAudience(target, owner, memberIds)),
    ),
    mailAccountIds: next.targets.flatMap((target) => toMailAccount(target, owner, memberIds)),
    callsBack: next.targets.some(({ kind }) => kind === "callback"),
  };
}

/** Reads the devices of audiences. */
export async function readDevices(
  context: Context,
  audiences: readonly Audience[],
): Promise<readonly AudienceDevices[]> {
  return Promise.all(
    audiences.map(async (audience) => {
      const devices = await listAudienceDevices(context, audience, { limit: CHUNK_MAX + 1 });
      return { audience, devices: devices.length > CHUNK_MAX ? null : devices };
    }),
  );
}

/** Returns the accounts of a step's targets that are members of the team now. */
async function findMembers(
  context: Context,
  { accountId, teamId }: IncidentOwner,
  targets: readonly EscalationTarget[],
): Promise<ReadonlySet<string>> {
  if (teamId === null) return new Set();
  const named = targets.flatMap((target) =>
    "accountId" in target && target.accountId !== undefined ? [target.accountId] : [],
  );
  const accountIds = [accountId, ...named];
  const roles = ["owner", "admin", "member"] as const;
  return new Set(await findCurrentMembers(context, { teamId, accountIds, roles }));
}

function toTargetAudience(
  target: EscalationTarget,
  { accountId, teamId }: IncidentOwner,
  memberIds: ReadonlySet<string>,
): readonly Audience[] {
  switch (target.kind) {
    case "me":
      return [{ kind: "account", accountId }];
    case "group":
      return [{ kind: "group", accountId, groupId: target.groupId }];
    case "device":
      return [{ kind: "device", accountId, deviceId: target.deviceId }];
    case "team":
      return teamId === null ? [] : [{ kind: "team", teamId }];
    case "member":
      return memberIds.has(target.accountId)
        ? [{ kind: "account", accountId: target.accountId }]
        : [];
    case "mail":
    case "callback":
      return [];
  }
}

function toMailAccount(
  target: EscalationTarget,
  owner: IncidentOwner,
  memberIds: ReadonlySet<string>,
): readonly string[] {
  if (target.kind !== "mail") return [];
  const { accountId = owner.accountId } = target;
  return owner.teamId === null || memberIds.has(accountId) ? [accountId] : [];
}
