import type { Context } from "#context.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";
import type { Target } from "#devices/device.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import { findNextStep, type Incident, type IncidentOwner } from "./incident.ts";
import type { PolicyOwner } from "./policies/policy.ts";
import { findReach, type TargetReach } from "./policies/reach.ts";

/** An audience with its devices as they are now. */
export interface AudienceDevices {
  readonly audience: Audience;
  /** Null if there are too many devices to ring. */
  readonly devices: readonly Target[] | null;
}

/** The people of a step as they are now. */
export interface ResolvedStep {
  readonly audiences: readonly AudienceDevices[];
  /** The people to write to, at verified addresses. */
  readonly mailTo: readonly NonNullable<TargetReach["mailTo"]>[];
  readonly callsBack: boolean;
  /** The number of targets that no longer exist, such as a member who has left the team. */
  readonly passedOver: number;
}

/** The fields of an incident that decide whom its next step reaches. */
type ClimbingIncident = Pick<Incident, "policy" | "step" | "audience" | "owner" | "question">;

/**
 * Returns the people of an incident's next step. Without a policy, the sender's audience is the only step. Null if
 * there is no further step.
 */
export async function resolveNextStep(
  context: Context,
  incident: ClimbingIncident,
): Promise<ResolvedStep | null> {
  const { policy, step, audience, owner, question } = incident;
  if (policy === null) {
    if (step > 0) return null;
    const audiences = await readDevices(context, [audience]);
    return { audiences, mailTo: [], callsBack: false, passedOver: 0 };
  }
  const next = findNextStep(incident);
  if (next === null) return null;
  const reach = await findReach(context, { owner: toPolicyOwner(owner), targets: next.targets });
  return {
    audiences: await readDevices(
      context,
      reach.flatMap(({ audience }) => (audience === null ? [] : [audience])),
    ),
    // The link of an email can only acknowledge an incident, and cannot answer a prompt.
    mailTo:
      question === null ? reach.flatMap(({ mailTo }) => (mailTo === null ? [] : [mailTo])) : [],
    callsBack: next.targets.some(({ kind }) => kind === "callback"),
    passedOver: reach.filter(({ isMissing }) => isMissing).length,
  };
}

function toPolicyOwner({ accountId, teamId }: IncidentOwner): PolicyOwner {
  return teamId === null ? { kind: "account", accountId } : { kind: "team", teamId };
}

/** Returns audiences with their devices as they are now. */
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
