import type { NotificationContent } from "@tocsin/sdk";
import { DecisionDraft, type Decision, type DecisionFacts, type HistoryEntry } from "./decision.ts";
import {
  findNextStep,
  isRinging,
  getHigherPriority,
  type Act,
  type Incident,
  type RingSettings,
} from "./incident.ts";
import {
  beginToRing,
  endRinging,
  followClock,
  getStepDueAt,
  mayBeginToRing,
  planRound,
  reachStep,
  ringRound,
} from "./ringing.ts";

/** An event that may change an open incident. */
export type IncidentEvent =
  | TriggerEvent
  | {
      readonly kind: "acknowledge" | "resolve";
      readonly act: Act;
      readonly content: NotificationContent | null;
    }
  | { readonly kind: "escalate" | "ring_again"; readonly act: Act }
  | TimerEvent;

/** One trigger, or several that share a change and have the text of the last one. */
export interface TriggerEvent {
  readonly kind: "trigger";
  readonly content: NotificationContent;
  readonly contentHash: string;
  readonly count: number;
  /** The notification that will hold the text if it becomes the incident's line in the feed. */
  readonly notificationId: string;
  /** Applies if the incident begins to ring with this trigger. */
  readonly ringSettings: RingSettings;
}

/** A due timer of the incident. */
export interface TimerEvent {
  readonly kind: "ring" | "step" | "expire" | "update" | "remind" | "auto_resolve";
  /** The planned time. */
  readonly plannedAt: number;
  /** The next planned time of a repeating timer. */
  readonly nextPlanAt: number;
  /** The time from setting the timer to its planned time, which a clock rollback does not change. */
  readonly lengthMs: number;
}

/** Minimum time between two pushes of new texts of one incident. */
export const UPDATE_INTERVAL_MS = 60_000;

/** Returns the change that an event makes to an open incident; null if it changes nothing. */
export function decide(
  incident: Incident,
  event: IncidentEvent,
  facts: DecisionFacts,
): Decision | null {
  const draft = new DecisionDraft(incident);
  applyEvent(draft, event, facts);
  if (draft.incident === incident && draft.timers.size === 0) return null;
  return draft;
}

function applyEvent(draft: DecisionDraft, event: IncidentEvent, facts: DecisionFacts): void {
  switch (event.kind) {
    case "trigger":
      return decideTrigger(draft, event, facts);
    case "acknowledge":
      return decideAcknowledgement(draft, event);
    case "resolve":
      return resolve(draft, { act: event.act, content: event.content, detail: {} });
    case "escalate":
      return decideEscalation(draft, event.act, facts);
    case "ring_again":
      return ringAgain(draft, event.act, facts);
    case "auto_resolve":
    case "ring":
    case "step":
    case "expire":
    case "update":
    case "remind":
      return decideTimer(draft, event, facts);
  }
}

function decideTrigger(draft: DecisionDraft, event: TriggerEvent, facts: DecisionFacts): void {
  const { incident } = draft;
  const { content, count, ringSettings } = event;
  const { now } = facts;
  const priority = getHigherPriority(incident.priority, content.priority);
  const hasRisen = priority !== incident.priority;
  const hasOtherText = event.contentHash !== incident.contentHash;
  draft.change({ lastTriggerAt: now, occurrences: incident.occurrences + count, priority });
  if (incident.autoResolveAfterMs !== null)
    draft.timers.set("auto_resolve", now + incident.autoResolveAfterMs);
  if (hasOtherText) {
    const { title, channel } = content;
    const { contentHash, notificationId } = event;
    draft.change({ title, channel, contentHash, notificationId });
  }
  if (hasRisen && incident.expiresAt === null) draft.change(pickRingSettings(ringSettings));
  if (hasRisen || incident.state === "expired") return tellLoudly(draft, event, facts);
  if (hasOtherText) tellUpdate(draft, event, now);
}

function pickRingSettings({ repeatEveryMs, expireAfterMs, policy }: RingSettings): RingSettings {
  return { repeatEveryMs, expireAfterMs, policy };
}

/** Pushes a trigger loudly, because it raised the priority or the incident had expired. An emergency rings again. */
function tellLoudly(
  draft: DecisionDraft,
  { content, notificationId }: TriggerEvent,
  facts: DecisionFacts,
): void {
  const { now } = facts;
  draft.change({ state: "triggered", acknowledgement: null, notificationId, toldAt: now });
  draft.change({ title: content.title, channel: content.channel });
  draft.record("triggered", { occurrences: draft.incident.occurrences });
  draft.push("trigger", "reached", content);
  draft.removeTimers(["update", "remind"]);
  const { incident } = draft;
  if (incident.priority !== "emergency" || !mayBeginToRing(incident, facts)) return;
  beginToRing(draft, now);
  if (draft.incident.step > 0) return;
  reachStep(draft, facts, { reason: "trigger", act: null, text: content, lateMs: 0 });
}

/** Files a new text at once. Pushes it at once as well, unless a text was pushed less than a minute ago. */
function tellUpdate(draft: DecisionDraft, { content }: TriggerEvent, now: number): void {
  draft.record("updated", { occurrences: draft.incident.occurrences });
  // After a clock rollback, the latest push seems to lie in the future.
  const pushAt = Math.min(draft.incident.toldAt, now) + UPDATE_INTERVAL_MS;
  if (now >= pushAt) {
    draft.change({ toldAt: now });
    draft.push("update", "reached", content);
    // An earlier text may still wait for its timer; this one replaces it.
    draft.removeTimers(["update"]);
    return;
  }
  draft.filedContent = content;
  draft.timers.set("update", pushAt);
}

function decideAcknowledgement(
  draft: DecisionDraft,
  { act, content }: { readonly act: Act; readonly content: NotificationContent | null },
): void {
  const { state, policy } = draft.incident;
  if (state !== "triggered" && state !== "expired") return;
  draft.change({ state: "acknowledged", acknowledgement: act });
  endRinging(draft);
  draft.record("acknowledged", {}, act);
  draft.pushes.push({ cause: "acknowledgement", to: "reached", content, isFiled: false });
  const remindAfterSeconds = policy?.remindAfterSeconds ?? null;
  if (remindAfterSeconds !== null) draft.timers.set("remind", act.at + remindAfterSeconds * 1_000);
  draft.callback = "incident.acknowledged";
}

function resolve(
  draft: DecisionDraft,
  {
    act,
    content,
    detail,
  }: {
    readonly act: Act;
    readonly content: NotificationContent | null;
    readonly detail: HistoryEntry["detail"];
  },
): void {
  if (draft.incident.state === "resolved") return;
  draft.change({ state: "resolved", closing: act });
  endRinging(draft);
  draft.removeTimers(["update", "remind", "auto_resolve"]);
  draft.record("resolved", detail, act);
  draft.pushes.push({ cause: "resolution", to: "reached", content, isFiled: true });
  draft.callback = "incident.resolved";
}

function decideEscalation(draft: DecisionDraft, act: Act, facts: DecisionFacts): void {
  if (!isRinging(draft.incident) || findNextStep(draft.incident) === null) return;
  reachStep(draft, facts, { reason: "passed_on", act, text: null, lateMs: 0 });
}

function ringAgain(draft: DecisionDraft, act: Act, facts: DecisionFacts): void {
  const { now } = facts;
  const { state, priority } = draft.incident;
  if (state === "resolved" || priority !== "emergency" || ringsNobody(draft, facts)) return;
  draft.change({ acknowledgement: null, round: draft.incident.round + 1 });
  draft.record("ring", { round: draft.incident.round, lateMs: 0 }, act);
  beginToRing(draft, now);
  draft.push("ring", "reached");
}

/** Returns whether ringing would reach nobody: every audience so far is too large, and no further step follows. */
function ringsNobody({ incident }: DecisionDraft, { isTooLargeToRing }: DecisionFacts): boolean {
  return isTooLargeToRing && findNextStep(incident) === null;
}

function decideTimer(draft: DecisionDraft, event: TimerEvent, facts: DecisionFacts): void {
  const { incident } = draft;
  const { now } = facts;
  const lateMs = Math.max(0, now - event.plannedAt);
  switch (event.kind) {
    case "ring":
      if (!isRinging(incident)) return;
      ringRound(draft, lateMs);
      return planRound(draft, event.nextPlanAt);
    case "step":
      return decideStep(draft, event, facts);
    case "expire":
      return expire(draft, event, now);
    case "remind":
      return remind(draft, facts, lateMs);
    case "update":
      if (incident.state === "resolved") return;
      draft.change({ toldAt: now });
      return draft.push("update", "reached");
    case "auto_resolve":
      return resolve(draft, { act: toTimeAct(now), content: null, detail: { lateMs } });
  }
}

/** Reaches the next step at its time, or earlier if the step before reached nobody. */
function decideStep(draft: DecisionDraft, event: TimerEvent, facts: DecisionFacts): void {
  const { now, hasReachedSomebody } = facts;
  const { plannedAt } = event;
  followClock(draft, event, now);
  const { expiresAt } = draft.incident;
  const dueAt = getStepDueAt(draft.incident);
  if (dueAt === null || expiresAt === null) return;
  if (now >= dueAt && dueAt >= expiresAt) return;
  if (now < dueAt && hasReachedSomebody) {
    draft.timers.set("step", dueAt);
    return;
  }
  const isPlanned = now >= dueAt;
  const reason = isPlanned ? "planned" : "reached_nobody";
  const lateMs = Math.max(0, now - (isPlanned ? dueAt : plannedAt));
  reachStep(draft, facts, { reason, act: null, text: null, lateMs });
}

/**
 * An expiry that is later than this is late because no process ran. Then earlier rounds and steps may be overdue, too.
 */
const EXPIRY_LATE_MS = 1_000;
/** Postpones a late expiry by this time, for the overdue rounds and steps. */
const EXPIRY_WAIT_MS = 1_000;

/** Lets the incident expire, or postpones this until overdue rounds and steps are done. */
function expire(draft: DecisionDraft, { plannedAt }: TimerEvent, now: number): void {
  const { expiresAt } = draft.incident;
  if (!isRinging(draft.incident) || expiresAt === null) return;
  const stepDueAt = getStepDueAt(draft.incident) ?? Number.POSITIVE_INFINITY;
  const hasOverdueStep = stepDueAt <= now && stepDueAt < expiresAt;
  const hasWaited = plannedAt > expiresAt;
  if (hasOverdueStep || (now > plannedAt + EXPIRY_LATE_MS && !hasWaited)) {
    draft.timers.set("expire", now + EXPIRY_WAIT_MS);
    return;
  }
  draft.change({ state: "expired" });
  endRinging(draft);
  draft.record("expired", { lateMs: Math.max(0, now - expiresAt) });
  draft.callback = "incident.expired";
}

function remind(draft: DecisionDraft, facts: DecisionFacts, lateMs: number): void {
  const { now } = facts;
  if (draft.incident.state !== "acknowledged") return;
  draft.change({ state: "triggered", acknowledgement: null, toldAt: now });
  draft.record("reminded", { lateMs });
  draft.push("reminder", "reached");
  if (draft.incident.priority === "emergency" && !ringsNobody(draft, facts))
    beginToRing(draft, now);
}

function toTimeAct(at: number): Act {
  return { at, via: "time", accountId: null, deviceId: null, note: null };
}
