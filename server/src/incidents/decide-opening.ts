import { DecisionDraft, type Decision, type DecisionFacts } from "./decision.ts";
import type { TriggerEvent } from "./decide.ts";
import type { Incident } from "./incident.ts";
import { beginToRing, mayBeginToRing, reachStep } from "./ringing.ts";

/** The fields of a new incident that no later change writes. */
export type FixedIncidentFields = Pick<
  Incident,
  | "id"
  | "source"
  | "owner"
  | "keyHash"
  | "incidentKey"
  | "audience"
  | "autoResolveAfterMs"
  | "callbackUrl"
  | "question"
>;

/**
 * Returns the change that opens an incident with its first trigger. An emergency rings, unless its audience is too
 * large and no further step follows: then the audience is told once.
 */
export function decideOpening(
  fixed: FixedIncidentFields,
  event: TriggerEvent,
  facts: DecisionFacts,
): Decision {
  const { now, nextStep } = facts;
  const draft = new DecisionDraft(createIncident(fixed, event, now));
  draft.record("opened", { isTooLarge: nextStep?.isTooLarge ?? false });
  if (fixed.autoResolveAfterMs !== null)
    draft.timers.set("auto_resolve", now + fixed.autoResolveAfterMs);
  if (draft.incident.priority !== "emergency") {
    draft.push("trigger", "audience", event.content);
    return draft;
  }
  if (mayBeginToRing(draft.incident, facts)) beginToRing(draft, now);
  reachStep(draft, facts, { reason: "trigger", act: null, text: event.content, lateMs: 0 });
  // The first step need not reach the key's audience, which gets the text in its feed in any case.
  draft.filedContent = event.content;
  return draft;
}

function createIncident(
  fixed: FixedIncidentFields,
  { content, contentHash, count, notificationId, ringSettings }: TriggerEvent,
  now: number,
): Incident {
  const { title, channel, priority } = content;
  return {
    ...fixed,
    ...ringSettings,
    state: "triggered",
    priority,
    channel,
    title,
    contentHash,
    notificationId,
    openedAt: now,
    lastTriggerAt: now,
    occurrences: count,
    toldAt: now,
    ringsSince: null,
    expiresAt: null,
    step: 0,
    round: 0,
    acknowledgement: null,
    closing: null,
    version: 0,
  };
}
