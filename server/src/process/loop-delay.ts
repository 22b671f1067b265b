import { monitorEventLoopDelay, type ELDHistogram } from "node:perf_hooks";

/**
 * Starts to measure how long the event loop is busy without a break, and returns the durations in nanoseconds. Samples
 * once per iteration: a timer would wake an idle process a hundred times a second. A measurement never ends, so each
 * caller starts only one per process.
 */
export function measureLoopDelay(): ELDHistogram {
  const delay = monitorEventLoopDelay({ samplePerIteration: true });
  delay.enable();
  return delay;
}
