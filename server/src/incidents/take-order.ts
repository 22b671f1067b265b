import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { Idempotency } from "#delivery/store/delivery-store.ts";
import { createDeviceCharge } from "#notifications/charge.ts";
import { hashContent, sha256 } from "#notifications/content-hash.ts";
import type { HandoverResult } from "#delivery/accept/accept.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type { DeviceResult } from "@tocsin/sdk";
import { awaitResults, type AwaitResultsDeps } from "#notifications/await-results.ts";
import type { Sent, SendOrder } from "#notifications/order.ts";
import { ReadDeadline } from "#notifications/read-deadline.ts";
import { createIdempotencyError, send } from "#notifications/send.ts";
import { summariseResponses, type SendResponse } from "#notifications/send-response.ts";
import { requireCallable, type CallbackUrlDeps } from "./callback-url.ts";
import type { StoredChange } from "./change.ts";
import type { Incident, IncidentSource, RingSettings } from "./incident.ts";
import type { Incidents } from "./incidents.ts";
import type { PolicySnapshot } from "./policies/snapshot.ts";
import { repeatOrder } from "./repeat-order.ts";
import { requireSameRecipients } from "./same-recipients.ts";
import { findOpenIncident } from "./store/incidents.ts";
import { hashIncidentKey, OPEN_INCIDENTS_MAX, type TriggerOrder } from "./trigger.ts";
import { createUntoldResponse, NO_OPEN_INCIDENT } from "./untold-response.ts";

/** The dependencies of orders that name incidents. */
export interface TakeOrderDeps extends Omit<AwaitResultsDeps, "syncWaitMs">, CallbackUrlDeps {
  readonly incidents: Incidents;
  /** Returns the policy of a send; throws `invalid_field` if the sender's owner has none of this name. */
  readonly findPolicy: (query: PolicyQuery) => Promise<PolicySnapshot | null>;
}

/** The owner of a key, and the policy that a send names. */
export interface PolicyQuery {
  readonly owner: { readonly accountId: string; readonly teamId: string | null };
  readonly keyId: string | null;
  /** Null for the key's own policy. */
  readonly idOrName: string | null;
}

/** Takes a send that triggers, acknowledges or resolves an incident. */
export async function takeIncidentOrder(deps: TakeOrderDeps, order: SendOrder): Promise<Sent> {
  const { incident } = order.acting;
  if (incident.event === "trigger") return takeTrigger(deps, order);
  return takeAct(deps, { order, key: incident.key ?? "", kind: incident.event });
}

async function takeTrigger(deps: TakeOrderDeps, order: SendOrder): Promise<Sent> {
  await requireCallable(deps, order);
  const triggerOrder = await createTriggerOrder(deps, order);
  const result = await deps.incidents.trigger(triggerOrder);
  if (result.kind === "mismatch") throw createIdempotencyError();
  if (result.kind === "replayed") {
    const { notificationId } = result;
    return repeatOrder(deps, { order, source: triggerOrder.source, notificationId });
  }
  if (result.kind === "over_limit") return sendWithoutRinging(deps, order);
  const { incident, accepted } = result.change;
  const response = await awaitAll(deps, order, accepted);
  const isTold = accepted.some(({ kind }) => kind === "accepted");
  return {
    response: isTold ? response : createUntoldResponse(incident),
    notificationId: isTold ? incident.notificationId : null,
    textNotificationId: incident.notificationId,
    deviceCount: countDevices(accepted),
    incidentId: incident.id,
  };
}

function countDevices(accepted: StoredChange["accepted"]): number | null {
  let count = 0;
  for (const handedOver of accepted) {
    if (handedOver.kind !== "accepted" || handedOver.targets === null) return null;
    count += handedOver.targets.length;
  }
  return count;
}

async function createTriggerOrder(deps: TakeOrderDeps, order: SendOrder): Promise<TriggerOrder> {
  const { sender, parameters, acting, audience, isAwaited } = order;
  const { accountId, teamId, keyId } = sender;
  const owner = { accountId, teamId };
  const isEmergency = parameters.draft.priority === "emergency";
  const policy = isEmergency
    ? await deps.findPolicy({ owner, keyId, idOrName: acting.escalation })
    : null;
  const { repeatEveryMs, expireAfterMs, incident, callbackUrl } = acting;
  const ringSettings: RingSettings = { repeatEveryMs, expireAfterMs, policy };
  return {
    source: toSource(order),
    owner,
    keyId,
    audience,
    content: parameters.draft,
    ttlSeconds: parameters.ttlSeconds,
    isAwaited,
    incidentKey: incident.key,
    autoResolveAfterMs: incident.autoResolveAfterMs,
    ringSettings,
    callbackUrl,
    idempotency: createIdempotency(order),
    charge: createDeviceCharge(order.charge),
  };
}

/** The hash of a repetition covers the fields that ask for an act, too. */
function createIdempotency({
  sender,
  parameters,
  acting,
  audience,
}: SendOrder): Idempotency | null {
  const { draft, ttlSeconds, idempotencyKey } = parameters;
  if (idempotencyKey === null) return null;
  const { sourceId, keyId } = sender;
  const content = hashContent({ audience, draft, ttlSeconds });
  return {
    keyId: sourceId,
    ...(keyId === null || keyId === sourceId ? {} : { laterKeyId: keyId }),
    keyHash: sha256(idempotencyKey),
    contentHash: sha256(`${content} ${JSON.stringify(acting)}`),
  };
}

function toSource({ sender: { keyId, sourceId } }: SendOrder): IncidentSource {
  return { kind: keyId === null ? "account" : "key", id: sourceId };
}

/** Waits for the results of every notification of a change, and returns them together. */
async function awaitAll(
  deps: TakeOrderDeps,
  { audience, isAwaited, waitMs }: Pick<SendOrder, "audience" | "isAwaited" | "waitMs">,
  accepted: StoredChange["accepted"],
): Promise<SendResponse> {
  if (!isAwaited) return summariseResponses([], audience);
  const responses = await Promise.all(
    accepted.map((handedOver) => awaitOne({ ...deps, syncWaitMs: waitMs }, audience, handedOver)),
  );
  return summariseResponses(responses.flat(), audience);
}

async function awaitOne(
  deps: AwaitResultsDeps,
  audience: Audience,
  handedOver: HandoverResult,
): Promise<readonly DeviceResult[]> {
  if (handedOver.kind !== "accepted" || handedOver.targets?.length === 0) return [];
  const { notification, targets } = handedOver;
  const sent = { notificationId: notification.id, handedOver, targets };
  return (await awaitResults(deps, { audience, sent })).responses;
}

/** Sends a trigger as an ordinary notification, because its source has too many open incidents. */
async function sendWithoutRinging(deps: TakeOrderDeps, order: SendOrder): Promise<Sent> {
  const { parameters, sender, audience, isAwaited, waitMs, charge } = order;
  const { draft, ttlSeconds, idempotencyKey } = parameters;
  const sent = await send(deps, {
    draft: { ...draft, priority: "high" },
    ttlSeconds,
    idempotencyKey,
    keyId: sender.keyId,
    senderId: sender.sourceId,
    audience,
    isAwaited,
    readDeadline: new ReadDeadline(0),
    charge,
  });
  const { message, ...response } = await awaitResults(
    { ...deps, syncWaitMs: waitMs },
    { audience, sent },
  );
  const limit = OPEN_INCIDENTS_MAX.toLocaleString("en");
  const reason = `It rings nobody and opens no incident, because ${limit} incidents of this sender are open.`;
  return {
    response: { ...response, message: `${message}. ${reason}` },
    notificationId: sent.notificationId,
    deviceCount: sent.targets?.length ?? null,
  };
}

interface ActOrderInput {
  readonly order: SendOrder;
  readonly key: string;
  readonly kind: "acknowledge" | "resolve";
}

/** Acknowledges or resolves the open incident of a key, with the text of the send. */
async function takeAct(deps: TakeOrderDeps, { order, key, kind }: ActOrderInput): Promise<Sent> {
  const { context, incidents } = deps;
  const { sender, parameters, audience, charge } = order;
  const query = { source: toSource(order), keyHash: hashIncidentKey(key) };
  const open = await findOpenIncident(context, query);
  if (open === null) return { response: NO_OPEN_INCIDENT, notificationId: null, deviceCount: 0 };
  requireSameRecipients(open, audience);
  const act = createKeyAct(context, sender.keyId === null ? sender.accountId : null);
  const { draft: content, ttlSeconds } = parameters;
  const result = await incidents.act(
    { incidentId: open.id, kind, act, actor: toKeyActor(sender), content },
    { keyId: sender.keyId, ttlSeconds, charge: createDeviceCharge(charge) },
  );
  const incident = result?.incident ?? open;
  const message = describeAct(incident, { kind, isChanged: result?.isChanged ?? false });
  return {
    response: { success: true, message, responses: [] },
    notificationId: null,
    textNotificationId: incident.notificationId,
    deviceCount: 0,
    incidentId: incident.id,
  };
}

function createKeyAct({ now }: Context, accountId: string | null) {
  const via = accountId === null ? "key" : "api";
  return { at: now(), via, accountId, deviceId: null, note: null } as const;
}

/** Returns the author of an act by a send, whose address is not known here. */
function toKeyActor({ keyId, accountId }: SendOrder["sender"]): Actor {
  const kind = keyId === null ? "access_token" : "api_key";
  return { kind, accountId, credentialId: keyId, address: null, userAgent: null };
}

/** Returns a sentence that says what became of an act. */
export function describeAct(
  { acknowledgement }: Incident,
  { kind, isChanged }: { readonly kind: "acknowledge" | "resolve"; readonly isChanged: boolean },
): string {
  if (kind === "resolve")
    return isChanged ? "The incident is resolved." : "It was resolved before.";
  if (isChanged || acknowledgement === null) return "The incident is acknowledged.";
  return `It was acknowledged before, at ${new Date(acknowledgement.at).toISOString()}.`;
}
