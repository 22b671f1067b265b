import type { NotificationContent } from "@tocsin/sdk";
import type { Acting } from "#delivery/delivery.ts";
import { findNextStep, isRinging, type Incident } from "./incident.ts";

/**
 * Returns the priority of a push: an emergency that cannot ring is told as `high`, and so is one to more devices than may
 * ring.
 */
export function getPushPriority(
  incident: Incident,
  { isTooLarge }: { readonly isTooLarge: boolean },
): NotificationContent["priority"] {
  const rings = isRinging(incident) && !isTooLarge;
  return incident.priority === "emergency" && !rings ? "high" : incident.priority;
}

/**
 * Returns the end of a push that rings: that of the incident. A late push, after its incident should have expired, lasts
 * one more round.
 */
export function getRingsUntil(incident: Incident, now: number): number {
  const { expireAfterMs, repeatEveryMs } = incident;
  const expiresAt = incident.expiresAt ?? now;
  // After a clock rollback, the end is too far away.
  return expiresAt <= now ? now + repeatEveryMs : Math.min(expiresAt, now + expireAfterMs);
}

const ACKNOWLEDGE = ["ack", "Acknowledge"] as const;
const PASS_ON = ["pass", "Pass on"] as const;
const RING_AGAIN = ["again", "Ring again"] as const;

/**
 * Returns the buttons of a push: nobody needs one once the incident is taken. Programs that scan emails may press a
 * link's button, so everybody who was rung can undo an acknowledgement by a link.
 */
export function listActions(incident: Incident): Acting["actions"] {
  if (incident.state === "acknowledged") return isTakenByLink(incident) ? [RING_AGAIN] : [];
  if (incident.state === "resolved") return [];
  const mayPassOn = isRinging(incident) && findNextStep(incident) !== null;
  return mayPassOn ? [ACKNOWLEDGE, PASS_ON] : [ACKNOWLEDGE];
}

function isTakenByLink({ priority, acknowledgement }: Incident): boolean {
  return priority === "emergency" && acknowledgement?.via === "mail";
}
