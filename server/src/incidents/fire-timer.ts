import { isTimerUnchanged } from "#timers/store.ts";
import { planNext, type DueTimer, type TimerHandler } from "#timers/timer.ts";
import {
  applyDecision,
  toFacts,
  retryOnConflict,
  DEFAULT_OPTIONS,
  type ChangeDeps,
} from "./change.ts";
import { decide, type TimerEvent } from "./decide.ts";
import { findStepReach } from "./step-reach.ts";
import { resolveNextStep } from "./resolve-step.ts";
import { hasOnlyTooLargeAudiences, findIncident } from "./store/incidents.ts";
import { removeFiredTimer } from "./store/commit-change.ts";

/** Returns the handler of a kind of timer. Of several processes that fire the same timer, one has an effect. */
export function createTimerHandler(deps: ChangeDeps, kind: TimerEvent["kind"]): TimerHandler {
  return (due) => retryOnConflict(() => attemptToFire(deps, kind, due));
}

/** Returns null if another change came first and the timer is still due. */
async function attemptToFire(
  deps: ChangeDeps,
  kind: TimerEvent["kind"],
  due: DueTimer,
): Promise<void | null> {
  const { context } = deps;
  const { timer } = due;
  const incident = await findIncident(context, timer.subjectId);
  if (incident === null) return removeFiredTimer(context, timer);
  const isStep = kind === "step";
  const step = isStep ? await resolveNextStep(context, incident) : null;
  const hasReachedSomebody = isStep && (await findStepReach(context, incident)) === "somebody";
  const isTooLargeToRing =
    kind === "remind" && (await hasOnlyTooLargeAudiences(context, incident.id));
  const facts = toFacts(context, { step, hasReachedSomebody, isTooLargeToRing });
  const event = createTimerEvent(kind, due, { ...incident, now: facts.now });
  const decision = decide(incident, event, facts);
  if (decision === null) return removeFiredTimer(context, timer);
  const input = { previous: incident, decision, step };
  const change = await applyDecision(deps, input, { ...DEFAULT_OPTIONS, firedTimer: due });
  if (change === null && (await isTimerUnchanged(context, timer))) return null;
}

function createTimerEvent(
  kind: TimerEvent["kind"],
  due: DueTimer,
  { repeatEveryMs, now }: { readonly repeatEveryMs: number; readonly now: number },
): TimerEvent {
  const { runAt, setAt } = due.timer;
  const nextPlanAt = planNext(due, repeatEveryMs, now);
  return { kind, plannedAt: runAt, nextPlanAt, lengthMs: runAt - setAt };
}
