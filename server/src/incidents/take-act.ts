import { createActor } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { findIdempotencyUse, reserveKey } from "#delivery/store/reserve-key.ts";
import { createDeviceCharge } from "#notifications/charge.ts";
import { findNotifications } from "#notifications/log/store.ts";
import type { OrderSender, Sent, SendOrder } from "#notifications/order.ts";
import { createIdempotencyError } from "#notifications/send.ts";
import type { Act, Incident } from "./incident.ts";
import type { Incidents } from "./incidents.ts";
import { getMeans } from "./means.ts";
import { createOrderIdempotency } from "./order-idempotency.ts";
import { toIncidentSource } from "./order-source.ts";
import { requireSameRecipients } from "./same-recipients.ts";
import { findIncident, findLatestIncident, findOpenIncident } from "./store/incidents.ts";
import { hashIncidentKey } from "./trigger.ts";
import { NO_OPEN_INCIDENT } from "./untold-response.ts";

/** A send that acts on the open incident of a key. */
export interface ActOrderInput {
  readonly order: SendOrder;
  readonly key: string;
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
const NOTHING_ID = "";

/**
 * Acknowledges or resolves the open incident of a key, with the text of the send. A repetition has no effect, not even
 * on an incident that was opened since.
 */
export async function takeAct(deps: TakeActDeps, input: ActOrderInput): Promise<Sent> {
  const { context } = deps;
  const { order, key } = input;
  const idempotency = createOrderIdempotency(order);
  if (idempotency !== null) {
    const use = await findIdempotencyUse(context, idempotency);
    if (use.kind === "mismatch") throw createIdempotencyError();
    if (use.kind === "replayed") return repeatAct(context, input, use.notificationId);
  }
  const open = await findOpenIncident(context, toQuery(order, key));
  if (open !== null) requireSameRecipients(open, order.audience);
  const notificationId = open === null ? NOTHING_ID : context.newId();
  const reservation =
    idempotency === null ? null : reserveKey(context, { idempotency, notificationId });
  const acted =
    open === null ? null : await act(deps, input, { open, notificationId, reservation });
  // An act that changes nothing has no transaction that would store the reservation.
  if (reservation !== null && acted?.isChanged !== true)
    await context.database.atomically([...reservation.statements]);
  return acted?.sent ?? NOTHING_SENT;
}

function toQuery({ sender }: SendOrder, key: string) {
  return { source: toIncidentSource(sender), keyHash: hashIncidentKey(key) };
}

interface ActTarget {
  readonly open: Incident;
  /** The id of the notification of a resolution. */
  readonly notificationId: string;
  readonly reservation: ReturnType<typeof reserveKey> | null;
}

async function act(
  { context, incidents }: TakeActDeps,
  { order, kind }: ActOrderInput,
  { open, notificationId, reservation }: ActTarget,
) {
  const { sender, parameters, charge } = order;
  const { draft: content, ttlSeconds } = parameters;
  const { keyId } = sender;
  const author = createAuthor(context, sender);
  const result = await incidents.act(
    { incidentId: open.id, kind, act: author, actor: toActor(sender), content },
    {
      keyId,
      ttlSeconds,
      charge: createDeviceCharge(charge),
      reservation,
      textNotificationId: kind === "resolve" ? notificationId : null,
    },
  );
  const isChanged = result?.isChanged ?? false;
  return { isChanged, sent: toSent(result?.incident ?? open, { kind, isChanged }) };
}

/** Returns the answer to an act that was performed before. */
async function repeatAct(
  context: Context,
  { order, key, kind }: ActOrderInput,
  notificationId: string,
): Promise<Sent> {
  if (notificationId === NOTHING_ID) return NOTHING_SENT;
  // Only a resolution files a notification, whose incident may not be the latest one any more.
  const [notification] = await findNotifications(context, [notificationId]);
  const incidentId = notification?.acting?.incidentId ?? null;
  const incident =
    incidentId === null
      ? await findLatestIncident(context, toQuery(order, key))
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

/** Returns the author of an act: a person, or nobody for a key. */
function createAuthor({ now }: Context, { keyId, accountId, origin }: OrderSender): Act {
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

/** Returns a sentence that says what became of an act. */
function describeAct({ acknowledgement }: Incident, { kind, isChanged }: ActEffect): string {
  if (kind === "resolve")
    return isChanged ? "The incident is resolved." : "It was resolved before.";
  if (isChanged || acknowledgement === null) return "The incident is acknowledged.";
  return `It was acknowledged before, at ${new Date(acknowledgement.at).toISOString()}.`;
}
