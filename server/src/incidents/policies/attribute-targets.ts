import type { Context } from "#context.ts";
import type { EscalationStep, EscalationTarget, OwnedTarget } from "./policy.ts";
import { findDeviceRecipients, findGroupRecipients, findMemberId } from "./store/recipients.ts";

/** New steps of a team's policy, and the account that writes them. */
interface WrittenSteps {
  readonly teamId: string;
  readonly writerId: string;
  readonly steps: readonly EscalationStep[];
  /** The steps that the new ones replace. */
  readonly previousSteps: readonly EscalationStep[];
}

/**
 * Returns the steps with the owner of each group and device: the writer, or else the owner that the target had in the
 * previous steps. So a writer may keep groups and devices of other members, but never add them. A target without an
 * owner stays as it is.
 */
export async function attributeTargets(
  context: Context,
  { teamId, writerId, steps, previousSteps }: WrittenSteps,
): Promise<readonly EscalationStep[]> {
  if (!steps.some(({ targets }) => targets.some(isOwned))) return steps;
  const memberId = await findMemberId(context, { teamId, accountId: writerId });
  const groups = await findGroupRecipients(context, writerId);
  const devices = await findDeviceRecipients(context, writerId);
  const previous = previousSteps.flatMap(({ targets }) => targets).filter(isOwned);
  const attribute = (target: EscalationTarget): EscalationTarget => {
    if (!isOwned(target)) return target;
    const isOwn =
      target.kind === "group" ? groups.has(target.groupId) : devices.has(target.deviceId);
    if (isOwn && memberId !== null) return { ...target, memberId };
    return previous.find((one) => getObjectId(one) === getObjectId(target)) ?? target;
  };
  return steps.map(({ afterSeconds, targets }) => ({
    afterSeconds,
    targets: targets.map(attribute),
  }));
}

function isOwned(target: EscalationTarget): target is OwnedTarget {
  return target.kind === "group" || target.kind === "device";
}

/** Returns the id of the group or device. No group has the id of a device. */
function getObjectId(target: OwnedTarget): string {
  return target.kind === "group" ? target.groupId : target.deviceId;
}
