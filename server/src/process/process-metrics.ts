import { monitorEventLoopDelay, type Histogram } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";

const NANOSECONDS = 1_000_000_000;
/** The longest interval that a timer can have, 25 days. */
const NEVER_MS = 2 ** 31 - 1;

/** Statistics of how long the event loop was busy at a stretch, in nanoseconds; each scrape collects the first one first. */
const DELAYS: readonly (readonly [name: string, read: (delay: Histogram) => number])[] = [
  ["min", ({ min }) => min],
  ["max", ({ max }) => max],
  ["mean", ({ mean }) => mean],
  ["stddev", ({ stddev }) => stddev],
  ["p50", (delay) => delay.percentile(50)],
  ["p90", (delay) => delay.percentile(90)],
  ["p99", (delay) => delay.percentile(99)],
];

/**
 * Adds the metrics that prom-client has for every process of Node, under its names. The event loop is measured turn by
 * turn instead: prom-client's timer would wake an idle process a hundred times a second, and count its own 10 ms as a
 * delay.
 */
export function observeProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  const delay = monitorEventLoopDelay({ samplePerIteration: true });
  delay.enable();
  const setAll = () => {
    for (const { gauge, read } of gauges) {
      gauge.set(delay.count === 0 ? 0 : read(delay) / NANOSECONDS);
    }
    delay.reset();
  };
  const gauges = DELAYS.map(([what, read], index) => {
    const name = `nodejs_eventloop_lag_${what}_seconds`;
    registry.removeSingleMetric(name);
    const help = `How long the event loop was busy at a stretch since the last scrape: ${what}.`;
    const collect = index === 0 ? { collect: setAll } : {};
    return { gauge: new Gauge({ name, help, registers: [registry], ...collect }), read };
  });
}
