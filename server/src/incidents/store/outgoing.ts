import type { NotificationContent } from "@tocsin/sdk";
import { insertCallbackQuery } from "#callbacks/store/outbox.ts";
import type { CallbackEvent } from "#callbacks/callback.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Condition } from "#database/insert-under.ts";
import { insertMailUnderQuery } from "#mail/store/outbox.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { Decision } from "../decision.ts";
import type { Act, Incident } from "../incident.ts";
import { createAlarmMail } from "../mails.ts";
import type { ResolvedStep } from "../resolve-step.ts";

/** Returns the link with which a person takes an incident. */
export type CreateActLink = (person: {
  readonly incidentId: string;
  readonly accountId: string;
}) => string;

/** The calls and emails that a change leads to. */
export interface Outgoing {
  readonly decision: Decision;
  /** The step that the change may reach. */
  readonly step: ResolvedStep | null;
  /** The name of the person who acted; null if nobody did. */
  readonly actorName: string | null;
  /** The text of the incident. */
  readonly body: NotificationContent["body"];
  readonly createActLink: CreateActLink;
}

/** The statements of the calls and emails of a change, and whether there are any. */
export interface OutgoingStatements {
  readonly statements: readonly Compilable[];
  readonly hasCallback: boolean;
  readonly hasMail: boolean;
}

/** Returns the statements that store the calls and emails of a change, each only if the change is stored. */
export function createOutgoingStatements(
  context: Context,
  outgoing: Outgoing,
  condition: Condition,
): OutgoingStatements {
  const callbacks = createCallbacks(context, outgoing, condition);
  const mails = createMails(context, outgoing, condition);
  return {
    statements: [...callbacks, ...mails],
    hasCallback: callbacks.length > 0,
    hasMail: mails.length > 0,
  };
}

function reachesStep({ entries }: Decision): boolean {
  return entries.some(({ kind }) => kind === "step");
}

function createCallbacks(
  context: Context,
  { decision, step, actorName }: Outgoing,
  condition: Condition,
): readonly Compilable[] {
  const { incident, callback } = decision;
  const { callbackUrl: url, source, id, question } = incident;
  // The room of prompts tells the answer to a question.
  if (url === null || question !== null) return [];
  const isPassedOn = reachesStep(decision) && step?.callsBack === true;
  const events: readonly CallbackEvent[] = [
    ...(isPassedOn ? (["incident.escalated"] as const) : []),
    ...(callback === null ? [] : [callback]),
  ];
  const payload = toPayload(incident, actorName);
  return events.map((event) =>
    insertCallbackQuery(
      context,
      { sourceId: source.id, event, subjectId: id, url, payload },
      condition,
    ),
  );
}

function toPayload(incident: Incident, actorName: string | null) {
  const { id, incidentKey, state, priority, title, occurrences, step, round } = incident;
  return {
    incidentId: id,
    incidentKey,
    state,
    priority,
    title,
    occurrences,
    step,
    round,
    openedAt: formatTimestamp(incident.openedAt),
    acknowledgement: toActPayload(incident.acknowledgement, actorName),
    resolution: toActPayload(incident.closing, actorName),
  };
}

function toActPayload(act: Act | null, name: string | null) {
  if (act === null) return null;
  const { at, via, accountId, note } = act;
  return { at: formatTimestamp(at), via, name: accountId === null ? null : name, note };
}

function createMails(
  context: Context,
  { decision, step, body, createActLink }: Outgoing,
  condition: Condition,
): readonly Compilable[] {
  if (step === null || !reachesStep(decision)) return [];
  const { incident } = decision;
  return step.mailTo.map(({ accountId, email }) => {
    const link = createActLink({ incidentId: incident.id, accountId });
    return insertMailUnderQuery(
      context,
      createAlarmMail(incident, { email, link, body }),
      condition,
    );
  });
}
