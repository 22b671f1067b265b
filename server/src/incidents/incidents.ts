import { KeyedSignals } from "#concurrency/keyed-signals.ts";
import type { Context } from "#context.ts";
import type { Report } from "#delivery/result/watch.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import type { TimerHandler, TimerKind } from "#timers/timer.ts";
import { performAct, type ActOptions, type ActOrder, type IncidentActResult } from "./act.ts";
import type { ChangeDeps } from "./change.ts";
import { createTimerHandler } from "./fire-timer.ts";
import { INCIDENT_TIMERS } from "./incident-timers.ts";
import type { Incident } from "./incident.ts";
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
  /**
   * Returns an incident once it is not `triggered` any more, after `waitMs`, or once `ending` is aborted; null if there
   * is none or if it was removed.
   */
  waitForAct(incidentId: string, wait: ActWait): Promise<Incident | null>;
  /** Wakes those who wait for an incident, because another node changed it. */
  signal(incidentId: string): void;
  /** Wakes everybody who waits, because messages of other nodes may have been lost. */
  signalAll(): void;
  /** Notices that a step may have reached nobody. */
  readonly review: (notification: NewNotification, report: Report) => void;
  /** Ends the reviews that are planned. */
  stop(): void;
}

/** The end of a wait for an act. */
export interface ActWait {
  readonly waitMs: number;
  /** Ends the wait early. */
  readonly ending: AbortSignal;
}

/** The dependencies of the incidents of a server. */
export interface IncidentsDeps extends Omit<ChangeDeps, "timers"> {
  readonly timers: ChangeDeps["timers"] & {
    register(kind: TimerKind, handler: TimerHandler): void;
  };
}

/** A change by another node is noticed at the latest after this time, even if its message was lost. */
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
  for (const kind of INCIDENT_TIMERS)
    deps.timers.register(kind, createTimerHandler(changeDeps, kind));
  return {
    trigger: (order) => queue.submit(order),
    act: (order, options) => performAct(changeDeps, order, options),
    waitForAct: (incidentId, { waitMs, ending }) =>
      waitForAct(deps.context, signals, { incidentId, waitMs, ending }),
    signal: (incidentId) => signals.signal(incidentId),
    signalAll: () => signals.signalAll(),
    review: (notification, report) => reviews.notice(notification, report),
    stop: () => reviews.stop(),
  };
}

async function waitForAct(
  context: Context,
  signals: KeyedSignals,
  { incidentId, waitMs, ending }: ActWait & { readonly incidentId: string },
): Promise<Incident | null> {
  const endsAt = context.elapsed() + waitMs;
  // The wait begins before the read, so that no change falls between the two.
  const wait = signals.begin(incidentId, ending);
  try {
    for (;;) {
      const incident = await findIncident(context, incidentId);
      const remainingMs = endsAt - context.elapsed();
      if (incident === null || incident.state !== "triggered") return incident;
      if (remainingMs <= 0 || ending.aborted) return incident;
      await wait.next(Math.min(POLL_MS, remainingMs));
    }
  } finally {
    wait.end();
  }
}
