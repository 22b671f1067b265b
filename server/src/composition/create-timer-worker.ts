import { countTimers } from "#timers/store.ts";
import { TimerWorker } from "#timers/worker.ts";
import { TIMER_TOPIC } from "./connect-nodes.ts";
import type { Metrics } from "./metrics.ts";
import type { AppOptions, BaseDeps } from "./rooms.ts";

/** Returns the worker of all timers. Rooms register their handlers before it starts. */
export function createTimerWorker(
  { random }: AppOptions,
  { context, nodes, metrics }: Pick<BaseDeps, "context" | "nodes"> & { readonly metrics: Metrics },
): TimerWorker {
  metrics.observeTimers(() => countTimers(context));
  return new TimerWorker({
    context,
    random,
    publishTimerSet: (at) => nodes.publish(TIMER_TOPIC, at),
    observeLateness: (lateMs) => metrics.observeLateness(lateMs),
  });
}
