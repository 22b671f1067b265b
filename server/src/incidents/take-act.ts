import { createActor } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { findIdempotencyUse, reserveKey } from "#delivery/store/reserve-idempotency-key.ts";
import { findNotifications } from "#notifications/log/store.ts";
import type { OrderSender, Sent, SendOrder } from "#notifications/order.ts";
import { createIdempotencyError } from "#notifications/send.ts";
import type { Act, Incident } from "./incident.ts";
import type { Incidents } from "./incidents.ts";
import { getMeans } from "./means.ts";
import { createOrderIdempotency } from "./order-idempotency.ts";
import { toIncidentSource } from "./incident-source.ts";
import { requireSameAudience } from "./require-same-audience.ts";
import { findIncident, findLatestIncident, findOpenIncident } from "./store/incidents.ts";
import { hashIncidentKey } from "./trigger.ts";
import { NO_OPEN_INCIDENT } from "./untold-response.ts";

/** A send that acts on the open incident of an incident key. */
export interface ActBySend {
  readonly order: SendOrder;
  readonly incidentKey: string;
  readonly kind: "acknowledge" | "resolve";
}

/** The dependencies of acts by sends. */
export interface TakeActDeps {
  readonly context: Context;
  readonly incidents: Incidents;
}

/** The response to an act that found no open incident. */
const NOTHING_SENT: Sent = { response: NO_OPEN_INCIDENT, notificationId: null, deviceCount: 0 };
/** Stands in a reservation for the notification of an act that found no open incident. */
const NO_NOTIFICATION_ID = "";

/**
 * Acknowledges or resolves the open incident of an incident key, with the text of the send. A repetition has no effect,
 * not even on an incident that was opened afterwards.
 */
export async function takeAct(deps: TakeActDeps, input: ActBySend): Promise<Sent> {
  const { context } = deps;
  const { order, incidentKey } = input;
  const idempotency = createOrderIdempotency(order);
  if (idempotency !== null) {
    const use = await findIdempotencyUse(context, idempotency);
    if (use.kind === "mismatch") throw createIdempotencyError();
    if (use.kind === "replayed") return repeatAct(context, input, use.notificationId);
  }
  const open = await findOpenIncident(context, toSourceKey(order, incidentKey));
  if (open !== null) requireSameAudience(open, order.audience);
  const notificationId = open === null ? NO_NOTIFICATION_ID : context.newId();
  const reservation =
    idempotency === null ? null : reserveKey(context, { idempotency, notificationId });
  const acted =
    open === null ? null : await act(deps, input, { open, notificationId, reservation });
  // An act that changes nothing has no transaction that would store the reservation.
  if (reservation !== null && acted?.isChanged !== true)
    await context.database.atomically([...reservation.statements]);
  return acted?.sent ?? NOTHING_SENT;
}

function toSourceKey({ sender }: SendOrder, incidentKey: string) {
  return { source: toIncidentSource(sender), keyHash: hashIncidentKey(incidentKey) };
}

interface ActTarget {
  readonly open: Incident;
  /** The id that the reservation stores. Only a resolution files a notification with it. */
  readonly notificationId: string;
  readonly reservation: ReturnType<typeof reserveKey> | null;
}

async function act(
  { context, incidents }: TakeActDeps,
  { order, kind }: ActBySend,
  { open, notificationId, reservation }: ActTarget,
) {
  const { sender, parameters, charge } = order;
  const { draft: content, ttlSeconds } = parameters;
  const { keyId } = sender;
  const result = await incidents.act(
    {
      incidentId: open.id,
      kind,
      act: createAct(context, sender),
      actor: toActor(sender),
      content,
    },
    {
      keyId,
      ttlSeconds,
      charge,
      reservation,
      textNotificationId: kind === "resolve" ? notificationId : null,
    },
  );
  const isChanged = result?.isChanged ?? false;
  return { isChanged, sent: toSent(result?.incident ?? open, { kind, isChanged }) };
}

/** Returns the response to a repeated act. */
async function repeatAct(
  context: Context,
  { order, incidentKey, kind }: ActBySend,
  notificationId: string,
): Promise<Sent> {
  if (notificationId === NO_NOTIFICATION_ID) return NOTHING_SENT;
  // Only a resolution files a notification. Its incident need not be the latest one any more.
  const [notification] = await findNotifications(context, [notificationId]);
  const incidentId = notification?.interaction?.incidentId ?? null;
  const incident =
    incidentId === null
      ? await findLatestIncident(context, toSourceKey(order, incidentKey))
      : await findIncident(context, incidentId);
  return incident === null ? NOTHING_SENT : toSent(incident, { kind, isChanged: true });
}

interface ActEffect {
  readonly kind: "acknowledge" | "resolve";
  readonly isChanged: boolean;
}

function toSent(incident: Incident, effect: ActEffect): Sent {
  return {
    response: { success: true, message: describeAct(incident, effect), responses: [] },
    notificationId: null,
    textNotificationId: incident.notificationId,
    deviceCount: 0,
    incidentId: incident.id,
  };
}

/** Returns an act of a sender, made now. A key acts without a person. */
function createAct({ now }: Context, { keyId, accountId, origin }: OrderSender): Act {
  const { userAgent, credential } = origin;
  const via =
    keyId === null ? getMeans({ hasSession: credential.kind === "session", userAgent }) : "key";
  return {
    at: now(),
    via,
    accountId: keyId === null ? accountId : null,
    deviceId: null,
    note: null,
  };
}

function toActor({ accountId, origin: { ip, userAgent, credential } }: OrderSender): Actor {
  const { kind, id: credentialId } = credential;
  return createActor(
    { ip, headers: { "user-agent": userAgent } },
    { kind, accountId, credentialId },
  );
}

/** Returns a sentence about the result of an act. */
function describeAct({ acknowledgement }: Incident, { kind, isChanged }: ActEffect): string {
  if (kind === "resolve")
    return isChanged ? "The incident is resolved." : "It was resolved before.";
  if (isChanged || acknowledgement === null) return "The incident is acknowledged.";
  return `It was acknowledged before, at ${new Date(acknowledgement.at).toISOString()}.`;
}
