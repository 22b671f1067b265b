import type { NotificationContent } from "@tocsin/sdk";
import { sql } from "kysely";
import { insertCallbackQuery } from "#callbacks/store/outbox.ts";
import type { CallbackEvent } from "#callbacks/callback.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Condition } from "#database/insert-under.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { Decision } from "../decision.ts";
import type { Act, Incident } from "../incident.ts";
import { getHourEnd, toMailHour, type MailHour } from "../alarm-mail-limit.ts";
import { createAlarmMail, createLastAlarmMail } from "../mails.ts";
import type { ResolvedStep } from "../resolve-step.ts";
import { countAlarmQuery, insertAlarmMailQueries, isMailed, isWithheld } from "./alarm-mails.ts";
import type { NewEntry } from "./events.ts";

/** Returns the link with which a person acknowledges an incident. */
export type CreateActLink = (person: {
  readonly incidentId: string;
  readonly accountId: string;
}) => string;

/** A change, with everything that its calls and emails need. */
export interface Outgoing {
  readonly decision: Decision;
  /** The step that the change may reach. */
  readonly step: ResolvedStep | null;
  /** The name of the person whose act the callback reports; null if no person acted, or if there is no callback. */
  readonly actorName: string | null;
  /** The text of the incident. */
  readonly body: NotificationContent["body"];
  readonly createActLink: CreateActLink;
  /** The address of the console's page with the incidents. */
  readonly incidentsLink: string;
}

/** The statements of the calls and emails of a change, and whether there are any. */
export interface OutgoingStatements {
  readonly statements: readonly Compilable[];
  readonly mails: AlarmMails;
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
    statements: [...callbacks, ...mails.statements],
    mails,
    hasCallback: callbacks.length > 0,
    hasMail: mails.statements.length > 0,
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
  // The room of prompts stores the calls about questions.
  if (url === null || question !== null) return [];
  const hasCallbackTarget = reachesStep(decision) && step?.callsBack === true;
  const events: readonly CallbackEvent[] = [
    ...(hasCallbackTarget ? (["incident.escalated"] as const) : []),
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

/** The emails of a change, within the hourly limit of each person. */
export interface AlarmMails {
  /** Count the alarms. The other statements and the entries depend on the counts. */
  readonly counts: readonly Compilable[];
  readonly statements: readonly Compilable[];
  /** The entries of the history, with the condition of each. */
  readonly entries: readonly Pick<NewEntry, "entry" | "condition">[];
  /** The earliest time at which the summary of an hour may be due; null without an email. */
  readonly summaryAt: number | null;
}

function createMails(
  context: Context,
  { decision, step, body, createActLink, incidentsLink }: Outgoing,
  condition: Condition,
): AlarmMails {
  const { incident } = decision;
  const mailTo = step === null || !reachesStep(decision) ? [] : step.mailTo;
  // Changes that email the same people at once lock the counts in the same order, so that PostgreSQL finds no deadlock.
  const mails = mailTo.toSorted(compareByAccount).map(({ accountId, email }) => {
    const hour = toMailHour(accountId, context.now());
    const link = createActLink({ incidentId: incident.id, accountId });
    const mail = createAlarmMail(incident, { email, link, body });
    return { hour, mail, lastMail: createLastAlarmMail(mail, hour, incidentsLink) };
  });
  return {
    counts: mails.map(({ hour }) => countAlarmQuery(context, hour, condition)),
    statements: mails.flatMap((mail) => insertAlarmMailQueries(context, mail, condition)),
    entries: mails.flatMap(({ hour }) => createMailEntries(incident, hour, condition)),
    summaryAt: mails.length === 0 ? null : Math.min(...mails.map(({ hour }) => getHourEnd(hour))),
  };
}

function compareByAccount(
  one: { readonly accountId: string },
  other: { readonly accountId: string },
) {
  return one.accountId < other.accountId ? -1 : 1;
}

/** Returns the entry of an email, and the entry that replaces it if the person gets no more emails in this hour. */
function createMailEntries(
  { step }: Incident,
  hour: MailHour,
  condition: Condition,
): AlarmMails["entries"] {
  const entry = {
    kind: "mail",
    act: null,
    notificationId: null,
    mailedTo: hour.accountId,
  } as const;
  const under = (own: Condition) => sql<boolean>`${condition} and ${own}`;
  return [
    { entry: { ...entry, detail: { step } }, condition: under(isMailed(hour)) },
    {
      entry: { ...entry, detail: { step, withheld: true } },
      condition: under(isWithheld(hour)),
    },
  ];
}
