import { LIMITS, type NotificationContent } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type { HandoverResult } from "#delivery/accept/accept.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import type { KeyReservation } from "#delivery/store/reserve-idempotency-key.ts";
import { AppError } from "#errors.ts";
import { findSentNotification } from "#notifications/log/store.ts";
import { getFeedId } from "#delivery/delivery.ts";
import type { DueTimer } from "#timers/timer.ts";
import type { Decision, DecisionFacts, PushCause } from "./decision.ts";
import type { Incident } from "./incident.ts";
import { planChange } from "./plan-change.ts";
import { countPushedDevices } from "./count-pushed-devices.ts";
import { readDevices, type ResolvedStep } from "./resolve-step.ts";
import { commitChange, createChangeCondition, type IncidentChange } from "./store/commit-change.ts";
import { listToldAudiences } from "./store/incidents.ts";
import type { OpenLimit } from "./store/open-limit.ts";
import { createOutgoingStatements, type CreateActLink } from "./store/outgoing.ts";
import {
  createAcknowledgementContent,
  createResolutionContent,
  createTitleContent,
} from "./texts.ts";
import { createReachableCheck } from "./reachable-check.ts";
import type { ToldAudience } from "./told-audience.ts";

/** The dependencies of a change of an incident. */
export interface ChangeDeps {
  readonly context: Context;
  readonly delivery: Pick<Delivery, "prepareAccept">;
  readonly timers: {
    /** Called after a timer was set to a time, in milliseconds since the epoch. */
    wakeAt(at: number): void;
  };
  readonly findName: (accountId: string) => Promise<string | null>;
  readonly createActLink: CreateActLink;
  /** The address of the console's page with the incidents. */
  readonly incidentsLink: string;
  /** Called after a change queued a call or an email. */
  readonly announce: (queued: { readonly hasCallback: boolean; readonly hasMail: boolean }) => void;
  /** Called after a change is stored; must not throw. */
  readonly onChanged: (change: IncidentChanged) => void;
}

/** A stored change, as its listeners get it. */
export interface IncidentChanged {
  readonly incident: Incident;
  /** The audiences that were told of the incident. */
  readonly audiences: readonly Audience[];
  readonly entries: Decision["entries"];
}

/** The condition that a change is stored. */
export type ChangeCondition = ReturnType<typeof createChangeCondition>;

/** The inputs of a change beside its decision. */
export interface ChangeOptions {
  readonly keyId: string | null;
  /** Life of a push that does not ring. */
  readonly ttlSeconds: number;
  /** Whether a caller waits for the results. */
  readonly isAwaited: boolean;
  /** The id of the notification that becomes the incident's text; null if the text stays. */
  readonly textNotificationId: string | null;
  readonly firedTimer: DueTimer | null;
  readonly reservation: KeyReservation | null;
  /** The limit that the opening of an incident must respect; null if there is none. */
  readonly openLimit: OpenLimit | null;
  /** Called before the change is stored, with the number of devices that it pushes to; may throw. */
  readonly charge: (deviceCount: number) => void;
  /** Returns statements of other rooms, each of which depends on the condition. */
  readonly createStatements: (condition: ChangeCondition) => IncidentChange["furtherStatements"];
}

/** The options of a change that sets none of its own: nobody waits for its results. */
export const DEFAULT_OPTIONS: ChangeOptions = {
  keyId: null,
  ttlSeconds: LIMITS.ttlSecondsDefault,
  isAwaited: false,
  textNotificationId: null,
  firedTimer: null,
  reservation: null,
  openLimit: null,
  charge() {},
  createStatements: () => [],
};

/** The result of a stored change, for its caller. */
export interface StoredChange {
  readonly incident: Incident;
  /** The notifications that the change pushed or filed. */
  readonly accepted: readonly HandoverResult[];
}

/** A decision to store, with everything that was read for it. */
export interface ChangeInput {
  readonly previous: Incident | null;
  readonly decision: Decision;
  readonly step: ResolvedStep | null;
}

/** Stores a decision and begins its pushes; returns null if another change came first. */
export async function applyDecision(
  deps: ChangeDeps,
  { previous, decision, step }: ChangeInput,
  options: ChangeOptions,
): Promise<StoredChange | null> {
  const { context, delivery, createActLink, incidentsLink } = deps;
  const version = previous === null ? 1 : previous.version + 1;
  const incident: Incident = { ...decision.incident, version };
  const changeId = context.newId();
  const everTold = previous === null ? [] : await listToldAudiences(context, previous.id);
  const told = previous === null ? [] : await readTold(context, previous, everTold);
  const getText = await createTextReader(deps, { decision, previous, everTold });
  const plan = planChange(context, { decision, told, step, getText, ...options });
  options.charge(countPushedDevices(plan.handovers));
  const condition = createChangeCondition(incident.id, changeId);
  const actorName = await findCallbackActorName(deps, decision);
  const outgoing = createOutgoingStatements(
    context,
    { decision, step, actorName, body: findBody(decision, getText), createActLink, incidentsLink },
    condition,
  );
  const accepts = plan.handovers.map((one) => delivery.prepareAccept(one, condition));
  const isStored = await commitChange(context, {
    previous,
    incident,
    changeId,
    plan,
    mails: outgoing.mails,
    accepts,
    timers: decision.timers,
    firedTimer: options.firedTimer?.timer ?? null,
    reservation: options.reservation,
    openLimit: options.openLimit,
    furtherStatements: [...options.createStatements(condition), ...outgoing.statements],
  });
  if (!isStored) return null;
  const accepted = accepts.map(({ begin }) => begin());
  deps.announce(outgoing);
  for (const at of [...decision.timers.values(), outgoing.mails.summaryAt])
    if (at !== null) deps.timers.wakeAt(at);
  const audiences = [...told, ...plan.newAudiences].map(({ audience }) => audience);
  deps.onChanged({ incident, audiences, entries: decision.entries });
  return { incident, accepted };
}

/** Returns the body for the emails of a step, which is the body of its push. */
function findBody(
  { pushes }: Decision,
  getText: (cause: PushCause) => NotificationContent,
): string {
  return (pushes.find(({ content }) => content !== null)?.content ?? getText("step")).body;
}

/** Returns the name of the person whose act a callback reports; null if no person acted, or if there is no callback. */
async function findCallbackActorName(
  { findName }: ChangeDeps,
  { callback, incident: { acknowledgement, closing } }: Decision,
): Promise<string | null> {
  const accountId = (closing ?? acknowledgement)?.accountId ?? null;
  return callback === null || accountId === null ? null : findName(accountId);
}

/**
 * Returns the audiences that were told of an incident and may still be told, with their devices as they are now. The
 * other audiences get nothing further: no push, no line in the feed, no event.
 */
async function readTold(context: Context, incident: Incident, told: readonly ToldAudience[]) {
  const reachable = await createReachableCheck(context, { told, owner: incident.owner });
  const current = told.filter(reachable);
  const devices = await readDevices(
    context,
    current.map(({ audience }) => audience),
  );
  return current.map((one, index) => ({ ...one, devices: devices[index]?.devices ?? null }));
}

interface TextReaderInput {
  readonly decision: Decision;
  readonly previous: Incident | null;
  /**
   * All audiences that were ever told. The feed of any of them may contain the text, even the feed of a person who has
   * left the team.
   */
  readonly everTold: readonly ToldAudience[];
}

/** Returns a function that returns the text of a push without a text of its own. */
async function createTextReader(
  { context, findName }: ChangeDeps,
  { decision, previous, everTold }: TextReaderInput,
): Promise<(cause: PushCause) => NotificationContent> {
  const { incident, pushes } = decision;
  const { acknowledgement } = incident;
  const needsText = pushes.some(({ content }) => content === null);
  const actorId = acknowledgement?.accountId ?? null;
  const name = !needsText || actorId === null ? null : await findName(actorId);
  const current =
    needsText && previous !== null ? await findText(context, { previous, everTold }) : null;
  return (cause) => {
    if (cause === "acknowledgement") return createAcknowledgementContent(incident, name);
    if (cause === "resolution") return createResolutionContent(incident);
    return current ?? createTitleContent(incident);
  };
}

/** Returns the incident's latest text; null if retention has removed it. */
async function findText(
  context: Context,
  {
    previous,
    everTold,
  }: { readonly previous: Incident; readonly everTold: readonly ToldAudience[] },
): Promise<NotificationContent | null> {
  const audienceIds = everTold.map(({ audience }) => getFeedId(audience));
  const id = previous.notificationId;
  return findSentNotification(context, { id, audienceIds });
}

/** Maximum number of attempts at a change. */
const ATTEMPTS_MAX = 8;

/**
 * Repeats an attempt until no other change comes first, and returns its result; throws `unavailable` after several
 * attempts.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let count = 1; count <= ATTEMPTS_MAX; count += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  const message = "The incident changes too often at the moment. Nothing was changed; try again.";
  throw new AppError("unavailable", message, { retryAfterMs: 1_000 });
}

/** Returns the facts that a decision depends on. */
export function toFacts(
  { now }: Context,
  {
    step,
    ...facts
  }: { readonly step: ResolvedStep | null } & Omit<DecisionFacts, "now" | "nextStep">,
): DecisionFacts {
  return { now: now(), nextStep: step === null ? null : toStepFacts(step), ...facts };
}

function toStepFacts({ audiences, mailTo, passedOver }: ResolvedStep): DecisionFacts["nextStep"] {
  const hasDevice = audiences.some(({ devices }) => devices === null || devices.length > 0);
  return {
    isEmpty: !hasDevice && mailTo.length === 0,
    passedOver,
    isTooLarge:
      audiences.some(({ devices }) => devices === null) &&
      !audiences.some(({ devices }) => devices !== null && devices.length > 0),
  };
}
