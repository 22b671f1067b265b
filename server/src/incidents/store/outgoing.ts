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

/** The calls and emails that a change leads to. */
export interface Outgoing {
  readonly decision: Decision;
  /** The step that the change may reach. */
  readonly step: ResolvedStep | null;
  /** The name of the person who acted; null if nobody did. */
  readonly actorName: string | null;
  /** The URL of this server, without a trailing slash. */
  readonly baseUrl: string;
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
  const { callbackUrl: url, source, id } = incident;
  if (url === null) return [];
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
  { decision, step, baseUrl }: Outgoing,
  condition: Condition,
): readonly Compilable[] {
  if (step === null || !reachesStep(decision)) return [];
  return step.mailTo.map(({ email }) =>
    insertMailUnderQuery(
      context,
      createAlarmMail(decision.incident, { email, baseUrl }),
      condition,
    ),
  );
}
