import type { NotificationContent } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import {
  findIdempotencyUse,
  reserveKey,
  type IdempotencyUse,
} from "#delivery/store/reserve-idempotency-key.ts";
import type { IdempotencyRecord } from "#delivery/store/delivery-store.ts";
import { hashContent, sha256 } from "#notifications/content-hash.ts";
import {
  applyDecision,
  toFacts,
  DEFAULT_OPTIONS,
  type ChangeDeps,
  type ChangeOptions,
  type StoredChange,
} from "./change.ts";
import { decide, type TriggerEvent } from "./decide.ts";
import type {
  Incident,
  IncidentOwner,
  IncidentSource,
  Question,
  RingSettings,
} from "./incident.ts";
import { mergeTriggers, type TriggerBatch } from "./merge-triggers.ts";
import { decideOpening } from "./decide-opening.ts";
import { requireSameAudience } from "./require-same-audience.ts";
import { resolveNextStep } from "./resolve-step.ts";
import { findOpenIncident } from "./store/incidents.ts";
import { countOpenIncidents, limitOpenIncidents } from "./store/open-limit.ts";
import type { Audience } from "#devices/audiences/audience.ts";

/** A send that triggers an incident. */
export interface TriggerOrder {
  readonly source: IncidentSource;
  readonly owner: IncidentOwner;
  readonly keyId: string | null;
  readonly audience: Audience;
  readonly content: NotificationContent;
  /** Life of a push that does not ring. */
  readonly ttlSeconds: number;
  readonly isAwaited: boolean;
  /** Null for an emergency that is an incident of its own. */
  readonly incidentKey: string | null;
  readonly autoResolveAfterMs: number | null;
  readonly ringSettings: RingSettings;
  readonly callbackUrl: string | null;
  readonly idempotency: IdempotencyRecord | null;
  /** Called before anything is stored, with the number of devices that the trigger pushes to; may throw. */
  readonly charge: (deviceCount: number) => void;
  /** The question that the new incident asks; null if it asks none. */
  readonly asked: AskedQuestion | null;
}

/** A question to ask, and the statements that the room of prompts stores with it. */
export interface AskedQuestion {
  readonly question: Question;
  /** Maximum number of open questions of a source. */
  readonly openMax: number;
  /** Returns the statements that are stored together with the question, among them the timer of its end. */
  readonly createStatements: (
    incidentId: string,
    ...args: Parameters<ChangeOptions["createStatements"]>
  ) => ReturnType<ChangeOptions["createStatements"]>;
}

/** The effect of a trigger. */
export type TriggerResult =
  /** The trigger opened an incident, or changed the open one. */
  | {
      readonly kind: "changed";
      readonly isNew: boolean;
      readonly change: StoredChange;
      /**
       * Whether the text of the trigger is filed but not pushed yet, because another text was pushed less than a minute
       * ago.
       */
      readonly isPushDelayed: boolean;
    }
  /** The source has too many open incidents; nothing is stored. */
  | { readonly kind: "over_limit" }
  /** The idempotency key was used before, for the same content or for other content. */
  | Exclude<IdempotencyUse, { readonly kind: "free" }>;

/** Maximum number of open incidents of a source. */
export const OPEN_INCIDENTS_MAX = 1_000;

/** Returns the hash by which a source finds its open incident with a key. */
export function hashIncidentKey(incidentKey: string): string {
  return sha256(incidentKey);
}

/**
 * Returns the key hash of a question. No incident key hashes to it, because none has a NUL character. Otherwise, a send
 * whose `incidentKey` is the id of a question would find the question's incident.
 */
function hashQuestionId(id: string): string {
  return sha256(`\u0000${id}`);
}

/** Opens an incident, or counts a trigger of the open one; returns null if another change came first. */
export async function attemptTrigger(
  deps: ChangeDeps,
  orders: TriggerBatch,
): Promise<TriggerResult | null> {
  const order = mergeTriggers(orders);
  const { context } = deps;
  const keyUse =
    order.idempotency === null ? FREE : await findIdempotencyUse(context, order.idempotency);
  if (keyUse.kind !== "free") return keyUse;
  const { source, incidentKey } = order;
  const keyHash = incidentKey === null ? null : hashIncidentKey(incidentKey);
  const existing = keyHash === null ? null : await findOpenIncident(context, { source, keyHash });
  const event = createEvent(deps, order, orders.length);
  if (existing !== null) return triggerAgain(deps, { incident: existing, order, event });
  const limit = toLimit(order);
  // A sender over its limit pays no transaction, and is not charged.
  if ((await countOpenIncidents(context, limit)) >= limit.max) return { kind: "over_limit" };
  return openIncident(deps, { order, event, keyHash });
}

const FREE: IdempotencyUse = { kind: "free" };

function toLimit({ source, asked }: TriggerOrder) {
  return { source, hasQuestion: asked !== null, max: asked?.openMax ?? OPEN_INCIDENTS_MAX };
}

function createEvent(
  { context }: ChangeDeps,
  { content, ringSettings, audience }: TriggerOrder,
  count: number,
): TriggerEvent {
  return {
    kind: "trigger",
    content,
    // The life and the urgency of a message are not a part of its text.
    contentHash: hashContent({
      audience,
      draft: { ...content, priority: "normal" },
      ttlSeconds: 0,
    }),
    count,
    notificationId: context.newId(),
    ringSettings,
  };
}

interface OrderedTrigger {
  readonly order: TriggerOrder;
  readonly event: TriggerEvent;
}

async function openIncident(
  deps: ChangeDeps,
  { order, event, keyHash }: OrderedTrigger & { readonly keyHash: string | null },
): Promise<TriggerResult | null> {
  const { context } = deps;
  const { audience, owner, ringSettings, source, incidentKey } = order;
  const isEmergency = event.content.priority === "emergency";
  const policy = isEmergency ? ringSettings.policy : null;
  const question = order.asked?.question ?? null;
  const step = await resolveNextStep(context, { policy, step: 0, audience, owner, question });
  const id = context.newId();
  const { autoResolveAfterMs, callbackUrl, asked } = order;
  const fixed = {
    id,
    source,
    owner,
    incidentKey,
    audience,
    autoResolveAfterMs,
    callbackUrl,
    question,
  };
  const facts = toFacts(context, { step, hasReachedSomebody: false, isTooLargeToRing: false });
  const ownHash = asked === null ? hashIncidentKey(id) : hashQuestionId(id);
  const decision = decideOpening({ ...fixed, keyHash: keyHash ?? ownHash }, event, facts);
  const input = { previous: null, decision, step };
  const change = await applyDecision(deps, input, {
    ...toOptions(context, { order, event }),
    openLimit: limitOpenIncidents(context, toLimit(order)),
    createStatements: (condition) => asked?.createStatements(id, condition) ?? [],
  });
  if (change === null) return null;
  if (question !== null) deps.timers.wakeAt(question.expiresAt);
  return { kind: "changed", isNew: true, change, isPushDelayed: false };
}

async function triggerAgain(
  deps: ChangeDeps,
  { incident, order, event }: OrderedTrigger & { readonly incident: Incident },
): Promise<TriggerResult | null> {
  const { context } = deps;
  requireSameAudience(incident, order.audience);
  const { policy } = order.ringSettings;
  const mayReachFirstStep = incident.step === 0 && event.content.priority === "emergency";
  const step = mayReachFirstStep ? await resolveNextStep(context, { ...incident, policy }) : null;
  const facts = toFacts(context, { step, hasReachedSomebody: false, isTooLargeToRing: false });
  const decision = decide(incident, event, facts);
  // A trigger always counts.
  if (decision === null) throw new Error("A trigger left an incident unchanged.");
  const input = { previous: incident, decision, step };
  const change = await applyDecision(deps, input, toOptions(context, { order, event }));
  const isPushDelayed = (decision.timers.get("update") ?? null) !== null;
  return change === null ? null : { kind: "changed", isNew: false, change, isPushDelayed };
}

function toOptions(context: Context, { order, event }: OrderedTrigger): ChangeOptions {
  const { keyId, ttlSeconds, isAwaited, idempotency, charge } = order;
  const { notificationId } = event;
  const reservation =
    idempotency === null ? null : reserveKey(context, { idempotency, notificationId });
  const delivery = { keyId, ttlSeconds, isAwaited, textNotificationId: notificationId };
  return { ...DEFAULT_OPTIONS, ...delivery, reservation, charge };
}
