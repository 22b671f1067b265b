import type { NotificationContent } from "@tocsin/sdk";
import type { Interaction } from "#delivery/delivery.ts";
import { findNextStep, isRinging, type Incident } from "./incident.ts";

/**
 * Returns the priority of a push: an emergency that cannot ring is sent as `high`, and so is one to more devices than may
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
 * Returns the expiry of a push that rings, which is the expiry of the incident. A push that is sent after the incident
 * should have expired lasts one more round.
 */
export function getRingsUntil(incident: Incident, now: number): number {
  const { expireAfterMs, repeatEveryMs } = incident;
  const expiresAt = incident.expiresAt ?? now;
  // After a clock rollback, the end of the incident is too far away.
  return expiresAt <= now ? now + repeatEveryMs : Math.min(expiresAt, now + expireAfterMs);
}

const ACKNOWLEDGE = ["ack", "Acknowledge"] as const;
const PASS_ON = ["pass", "Pass on"] as const;
const RING_AGAIN = ["again", "Ring again"] as const;

/**
 * Returns the buttons of a push. After an acknowledgement, nobody needs a button, with one exception: programs that scan
 * emails may press the button of a link, so everybody who was rung can undo an acknowledgement by a link.
 */
export function listActions(incident: Incident): Interaction["actions"] {
  if (incident.state === "acknowledged") return isAcknowledgedByLink(incident) ? [RING_AGAIN] : [];
  if (incident.state === "resolved") return [];
  const mayPassOn = isRinging(incident) && findNextStep(incident) !== null;
  return mayPassOn ? [ACKNOWLEDGE, PASS_ON] : [ACKNOWLEDGE];
}

function isAcknowledgedByLink({ priority, acknowledgement }: Incident): boolean {
  return priority === "emergency" && acknowledgement?.via === "mail";
}
