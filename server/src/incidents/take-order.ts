import type { Context } from "#context.ts";
import type { IdempotencyRecord } from "#delivery/store/delivery-store.ts";
import {
  findIdempotencyUse,
  type IdempotencyUse,
} from "#delivery/store/reserve-idempotency-key.ts";
import { AppError } from "#errors.ts";
import type { Sent, SendOrder } from "#notifications/order.ts";
import { createIdempotencyError } from "#notifications/send.ts";
import { requireCallableUrl, type CallbackUrlDeps } from "./require-callable-url.ts";
import type { StoredChange } from "./change.ts";
import type { RingSettings } from "./incident.ts";
import type { Incidents } from "./incidents.ts";
import { createOrderIdempotency } from "./order-idempotency.ts";
import { toIncidentSource } from "./incident-source.ts";
import type { PolicySnapshot } from "./policies/snapshot.ts";
import { repeatOrder } from "./repeat-order.ts";
import { sendWithoutRinging } from "./send-without-ringing.ts";
import { takeAct } from "./take-act.ts";
import type { AskedQuestion, TriggerOrder } from "./trigger.ts";
import { createTriggerResponse, type TriggerResponseDeps } from "./trigger-response.ts";

/** The dependencies of orders that name incidents. */
export interface TakeOrderDeps extends TriggerResponseDeps, CallbackUrlDeps {
  readonly context: Context;
  readonly incidents: Incidents;
  /** Returns the policy of a send; throws `invalid_field` if the sender's owner has none with this id or name. */
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
  const { incident } = order.interaction;
  if (incident.event === "trigger") return takeTrigger(deps, order);
  return takeAct(deps, { order, incidentKey: incident.key ?? "", kind: incident.event });
}

/** Takes a send that triggers an incident, or that asks a question. */
export async function takeTrigger(
  deps: TakeOrderDeps,
  order: SendOrder,
  asked: AskedQuestion | null = null,
): Promise<Sent> {
  const idempotency = createOrderIdempotency(order);
  const use = await findEarlierUse(deps, order, idempotency);
  if (use !== null) return answerRepetition(deps, order, use);
  await requireCallableUrl(deps, order);
  const triggerOrder = { ...(await createTriggerOrder(deps, order)), idempotency, asked };
  const result = await deps.incidents.trigger(triggerOrder);
  if (result.kind === "mismatch" || result.kind === "replayed")
    return answerRepetition(deps, order, result);
  if (result.kind === "over_limit") {
    if (asked === null) return sendWithoutRinging(deps, { order, idempotency });
    throw createTooManyQuestionsError(asked);
  }
  const { incident, accepted } = result.change;
  return {
    response: await createTriggerResponse(deps, order, result),
    notificationId: accepted.length > 0 ? incident.notificationId : null,
    textNotificationId: incident.notificationId,
    deviceCount: countDevices(accepted),
    ...(asked === null ? { incidentId: incident.id } : { promptId: incident.id }),
  };
}

type EarlierUse = Exclude<IdempotencyUse, { readonly kind: "free" }>;

/**
 * Returns the earlier use of the idempotency key of an order that names a policy or a callback, which may have been
 * deleted since; null if there is none. The trigger itself notices every other repetition.
 */
async function findEarlierUse(
  { context }: TakeOrderDeps,
  { interaction: { callbackUrl, escalation } }: SendOrder,
  idempotency: IdempotencyRecord | null,
): Promise<EarlierUse | null> {
  if (idempotency === null || (callbackUrl === null && escalation === null)) return null;
  const use = await findIdempotencyUse(context, idempotency);
  return use.kind === "free" ? null : use;
}

/** Returns the current results of the order that another one repeats; throws `idempotency_mismatch` if they differ. */
async function answerRepetition(
  deps: TakeOrderDeps,
  order: SendOrder,
  use: EarlierUse,
): Promise<Sent> {
  if (use.kind === "mismatch") throw createIdempotencyError();
  return repeatOrder(deps, { order, notificationId: use.notificationId });
}

function createTooManyQuestionsError({ openMax }: AskedQuestion): AppError {
  const message = `${openMax} questions of this sender are open. Nothing was sent; cancel some, or wait until they end.`;
  return new AppError("too_many", message);
}

function countDevices(accepted: StoredChange["accepted"]): number | null {
  let count = 0;
  for (const handedOver of accepted) {
    if (handedOver.kind !== "accepted" || handedOver.targets === null) return null;
    count += handedOver.targets.length;
  }
  return count;
}

async function createTriggerOrder(
  deps: TakeOrderDeps,
  order: SendOrder,
): Promise<Omit<TriggerOrder, "asked" | "idempotency">> {
  const { sender, parameters, interaction, audience, isAwaited, charge } = order;
  const { accountId, teamId, keyId } = sender;
  const owner = { accountId, teamId };
  const isEmergency = parameters.draft.priority === "emergency";
  const policy = isEmergency
    ? await deps.findPolicy({ owner, keyId, idOrName: interaction.escalation })
    : null;
  const { repeatEveryMs, expireAfterMs, incident, callbackUrl } = interaction;
  const ringSettings: RingSettings = { repeatEveryMs, expireAfterMs, policy };
  return {
    source: toIncidentSource(sender),
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
    charge,
  };
}
