import { KeyedSignals } from "#concurrency/keyed-signals.ts";
import type { Context } from "#context.ts";
import { KeyedQueue } from "#delivery/limits/keyed-queue.ts";
import type { Report } from "#delivery/result/watch.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import type { TimerHandler, TimerKind } from "#timers/timer.ts";
import { performAct, type ActOptions, type ActOrder, type IncidentActResult } from "./act.ts";
import type { ChangeDeps } from "./change.ts";
import { changeQuestion, type QuestionOrder } from "./change-question.ts";
import { createTimerHandler } from "./fire-timer.ts";
import { INCIDENT_TIMER_KINDS } from "./incident-timers.ts";
import type { Incident } from "./incident.ts";
import { createMailSummaryHandler } from "./summarize-mails.ts";
import { ReachReview } from "./reach-review.ts";
import { findIncident } from "./store/incidents.ts";
import type { TriggerOrder, TriggerResult } from "./trigger.ts";
import { TriggerQueue } from "./trigger-queue.ts";

/** The incidents of a server, as other rooms see them. */
export interface Incidents {
  /** Stores a trigger and begins its pushes. */
  trigger(order: TriggerOrder): Promise<TriggerResult>;
  /** Performs an act; returns null if there is no such incident. */
  act(order: ActOrder, options?: ActOptions): Promise<IncidentActResult | null>;
  /** Changes the question of an incident; see `changeQuestion`. */
  changeQuestion(order: QuestionOrder): Promise<Incident | null>;
  /**
   * Returns an incident once a condition on it is true, after `waitMs`, or once `signal` is aborted; null if there is
   * none or if it was removed.
   */
  waitUntil(incidentId: string, wait: IncidentWait): Promise<Incident | null>;
  /** Wakes the waits for an incident, because another node changed it. */
  signal(incidentId: string): void;
  /** Wakes all waits, because messages of other nodes may have been lost. */
  signalAll(): void;
  /**
   * Reviews whether the latest step of an incident reached somebody, if a report says that a device was not reached.
   */
  readonly review: (notification: NewNotification, report: Report) => void;
  /** Cancels the planned reviews. */
  stop(): void;
}

/** A condition on an incident, and the end of the wait for it. */
export interface IncidentWait {
  readonly condition: (incident: Incident) => boolean;
  readonly waitMs: number;
  /** Ends the wait early. */
  readonly signal: AbortSignal;
}

/** The dependencies of the incidents of a server. */
export interface IncidentsDeps extends Omit<ChangeDeps, "timers"> {
  readonly timers: ChangeDeps["timers"] & {
    register(kind: TimerKind, handler: TimerHandler): void;
  };
}

/** A wait notices a change by another node after this time at the latest, even if its message was lost. */
const POLL_MS = 2_000;

/** Creates the incidents of a server, and registers the handlers of their timers. */
export function createIncidents(deps: IncidentsDeps): Incidents {
  const signals = new KeyedSignals();
  const changeDeps: ChangeDeps = {
    ...deps,
    onChanged(change) {
      signals.signal(change.incident.id);
      deps.onChanged(change);
    },
  };
  const queue = new TriggerQueue(changeDeps);
  const reviews = new ReachReview(changeDeps);
  // Answers to one question are taken one after another, so that only other processes compete.
  const questions = new KeyedQueue(deps.context.elapsed);
  for (const kind of INCIDENT_TIMER_KINDS)
    deps.timers.register(kind, createTimerHandler(changeDeps, kind));
  deps.timers.register("mail_summary", createMailSummaryHandler(deps));
  return {
    trigger: (order) => queue.submit(order),
    act: (order, options) => performAct(changeDeps, order, options),
    changeQuestion: (order) =>
      questions.run(order.incidentId, () => changeQuestion(changeDeps, order)),
    waitUntil: (incidentId, { condition, waitMs, signal }) =>
      waitUntil(deps.context, signals, { incidentId, condition, waitMs, signal }),
    signal: (incidentId) => signals.signal(incidentId),
    signalAll: () => signals.signalAll(),
    review: (notification, report) => reviews.notice(notification, report),
    stop: () => reviews.stop(),
  };
}

async function waitUntil(
  context: Context,
  signals: KeyedSignals,
  { incidentId, condition, waitMs, signal }: IncidentWait & { readonly incidentId: string },
): Promise<Incident | null> {
  const endsAt = context.elapsed() + waitMs;
  // The wait begins before the read, so that no change falls between the two.
  const wait = signals.begin(incidentId, signal);
  try {
    for (;;) {
      const incident = await findIncident(context, incidentId);
      const remainingMs = endsAt - context.elapsed();
      if (incident === null || condition(incident)) return incident;
      if (remainingMs <= 0 || signal.aborted) return incident;
      await wait.next(Math.min(POLL_MS, remainingMs));
    }
  } finally {
    wait.end();
  }
}
