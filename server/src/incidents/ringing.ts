import type { NotificationContent } from "@tocsin/sdk";
import type { DecisionDraft, DecisionFacts } from "./decision.ts";
import type { TimerEvent } from "./decide.ts";
import { findNextStep, isRinging, type Act, type Incident } from "./incident.ts";

/** The next step waits at most this long for a device of the latest step that is still tried. */
export const REACH_WAIT_MS = 30_000;

/** The kinds of timers that only a ringing incident has. */
const RINGING_TIMER_KINDS = ["ring", "step", "expire"] as const;

/**
 * Begins to ring, or begins again: the times of further steps count from now. The caller tells everybody who was
 * reached before.
 */
export function beginToRing(draft: DecisionDraft, now: number): void {
  const { repeatEveryMs, expireAfterMs } = draft.incident;
  const expiresAt = now + expireAfterMs;
  draft.change({ state: "triggered", ringsSince: now, expiresAt });
  draft.timers.set("expire", expiresAt);
  draft.removeTimers(["remind"]);
  planRound(draft, now + repeatEveryMs);
  planStep(draft, { now, mayBeDueAtOnce: false });
}

/**
 * Returns whether an emergency may begin to ring. If its next step has too many devices, each of them is told once, so
 * the incident rings only for the sake of later steps.
 */
export function mayBeginToRing(
  { policy, step }: Pick<Incident, "policy" | "step">,
  { nextStep }: Pick<DecisionFacts, "nextStep">,
): boolean {
  if (nextStep === null || !nextStep.isTooLarge) return true;
  return findNextStep({ policy, step: step + 1 }) !== null;
}

/** Ends the ringing. */
export function endRinging(draft: DecisionDraft): void {
  draft.change({ ringsSince: null, expiresAt: null });
  draft.removeTimers(RINGING_TIMER_KINDS);
}

/** Tells the people of the next step, and plans the step after it. */
export function reachStep(
  draft: DecisionDraft,
  { now, nextStep }: DecisionFacts,
  { reason, act, text, lateMs }: StepReason,
): void {
  const isEmpty = nextStep?.isEmpty ?? false;
  const passedOver = nextStep?.passedOver ?? 0;
  draft.change({ step: draft.incident.step + 1 });
  const detail = { step: draft.incident.step, reason, reachesNobody: isEmpty, lateMs };
  draft.record("step", passedOver === 0 ? detail : { ...detail, passedOver }, act);
  draft.push(text === null ? "step" : "trigger", "step", text);
  planStep(draft, { now, mayBeDueAtOnce: isEmpty });
}

/** The reason why a step is reached, with the act that caused it, the text to push, and the delay. */
export interface StepReason {
  readonly reason: "trigger" | "planned" | "reached_nobody" | "passed_on";
  readonly act: Act | null;
  /** The text of the trigger; null for a later step, which tells the current text. */
  readonly text: NotificationContent | null;
  readonly lateMs: number;
}

/** Rings everybody who was reached so far once more. */
export function ringRound(draft: DecisionDraft, lateMs: number): void {
  draft.change({ round: draft.incident.round + 1 });
  draft.record("ring", { round: draft.incident.round, lateMs });
  draft.push("ring", "reached");
}

/** Plans the next round, unless the incident expires before it. */
export function planRound(draft: DecisionDraft, at: number): void {
  const { expiresAt } = draft.incident;
  draft.timers.set("ring", expiresAt !== null && at < expiresAt ? at : null);
}

/** Returns the time at which the next step is due; null if there is none, or if the incident does not ring. */
export function getStepDueAt(incident: Incident): number | null {
  const next = findNextStep(incident);
  if (next === null || incident.ringsSince === null || !isRinging(incident)) return null;
  return incident.ringsSince + next.afterSeconds * 1_000;
}

/**
 * Moves the times of a ringing incident if a clock rollback happened since it began to ring. The timer of its next step
 * has kept its length, so its planned time shows how far the clock went back.
 */
export function followClock(
  draft: DecisionDraft,
  { plannedAt, lengthMs }: Pick<TimerEvent, "plannedAt" | "lengthMs">,
  now: number,
): void {
  const { ringsSince, expiresAt, policy, step } = draft.incident;
  const dueAt = getStepDueAt(draft.incident);
  if (ringsSince === null || expiresAt === null || dueAt === null || ringsSince <= now) return;
  const latestStepSeconds = policy?.steps[step - 1]?.afterSeconds ?? 0;
  const reviewAt = ringsSince + latestStepSeconds * 1_000 + REACH_WAIT_MS;
  const isReview = lengthMs === REACH_WAIT_MS && reviewAt < dueAt;
  const rollbackMs = (isReview ? reviewAt : dueAt) - plannedAt;
  draft.change({ ringsSince: ringsSince - rollbackMs, expiresAt: expiresAt - rollbackMs });
}

/**
 * Plans the timer of the next step: for the time of the step, or earlier, to review whether the latest step reached
 * somebody.
 */
function planStep(
  draft: DecisionDraft,
  { now, mayBeDueAtOnce }: { readonly now: number; readonly mayBeDueAtOnce: boolean },
): void {
  const dueAt = getStepDueAt(draft.incident);
  const reviewAt = mayBeDueAtOnce ? now : now + REACH_WAIT_MS;
  draft.timers.set("step", dueAt === null ? null : Math.min(dueAt, reviewAt));
}
