import type { NotificationContent } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import {
  applyDecision,
  toFacts,
  retryOnConflict,
  DEFAULT_OPTIONS,
  type ChangeDeps,
  type ChangeOptions,
} from "./change.ts";
import { decide } from "./decide.ts";
import type { Act, Incident } from "./incident.ts";
import { resolveNextStep } from "./resolve-step.ts";
import { recordActQuery } from "./store/audit.ts";
import { hasOnlyTooLargeAudiences, findIncident } from "./store/incidents.ts";

/** The options of a change that a request to act may set. */
export type ActOptions = Partial<
  Pick<ChangeOptions, "keyId" | "ttlSeconds" | "charge" | "reservation" | "textNotificationId">
>;

/** The acts of people and keys on an incident. */
export type ActKind = "acknowledge" | "resolve" | "escalate" | "ring_again";

/** An act to perform. */
export interface ActOrder {
  readonly incidentId: string;
  readonly kind: ActKind;
  readonly act: Act;
  /** The person or key that acts, for the audit log. */
  readonly actor: Actor;
  /** The text of an acknowledgement or a resolution; null for the server's own. */
  readonly content: NotificationContent | null;
}

/** The incident after an act. */
export interface IncidentActResult {
  readonly incident: Incident;
  /** False if the incident was in that state before, or if the act is not possible in its state. */
  readonly isChanged: boolean;
}

/**
 * Performs an act on an incident. Of several at once, the first one wins. Returns null if there is no such incident, or
 * if it asks a question. Throws `unavailable` if too many other changes come first.
 */
export async function performAct(
  deps: ChangeDeps,
  order: ActOrder,
  options: ActOptions = {},
): Promise<IncidentActResult | null> {
  const result = await retryOnConflict(() => attemptAct(deps, order, options));
  return result === "missing" ? null : result;
}

async function attemptAct(
  deps: ChangeDeps,
  { incidentId, kind, act, actor, content }: ActOrder,
  options: ActOptions,
): Promise<IncidentActResult | "missing" | null> {
  const { context } = deps;
  const incident = await findIncident(context, incidentId);
  // No act applies to a question, which waits for an answer.
  if (incident === null || incident.question !== null) return "missing";
  const step = kind === "escalate" ? await resolveNextStep(context, incident) : null;
  const isTooLargeToRing =
    kind === "ring_again" && (await hasOnlyTooLargeAudiences(context, incidentId));
  const facts = toFacts(context, { step, hasReachedSomebody: false, isTooLargeToRing });
  const event =
    kind === "escalate" || kind === "ring_again" ? { kind, act } : { kind, act, content };
  const decision = decide(incident, event, facts);
  if (decision === null) return { incident, isChanged: false };
  const input = { previous: incident, decision, step };
  const change = await applyDecision(deps, input, {
    ...DEFAULT_OPTIONS,
    ...options,
    createStatements: (condition) => [
      recordActQuery(context, { incident, kind, actor }, condition),
    ],
  });
  return change === null ? null : { incident: change.incident, isChanged: true };
}
