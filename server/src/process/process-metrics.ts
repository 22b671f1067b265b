import type { Histogram } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { measureLoopDelay } from "./loop-delay.ts";

const NANOSECONDS_PER_SECOND = 1_000_000_000;
/** The longest interval of a Node timer: 25 days. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The statistics of event-loop busy time, in nanoseconds. */
const DELAY_STATISTICS: readonly (readonly [name: string, read: (delay: Histogram) => number])[] = [
  ["min", ({ min }) => min],
  ["max", ({ max }) => max],
  ["mean", ({ mean }) => mean],
  ["stddev", ({ stddev }) => stddev],
  ["p50", (delay) => delay.percentile(50)],
  ["p90", (delay) => delay.percentile(90)],
  ["p99", (delay) => delay.percentile(99)],
];

/** The registry of this process's metrics; null until a server registers them. */
let processRegistry: Registry | null = null;

/**
 * Adds prom-client's metrics of Node processes to a registry, under prom-client's names. All servers of a process share
 * the metrics: an observer of garbage collections never stops, and one per server would keep stopped servers in memory.
 */
export function registerProcessMetrics(registry: Registry): void {
  processRegistry ??= createProcessRegistry();
  for (const { name } of processRegistry.getMetricsAsArray()) {
    const metric = processRegistry.getSingleMetric(name);
    if (metric !== undefined) registry.registerMetric(metric);
  }
}

/**
 * Creates a registry with the metrics of this process. Replaces prom-client's lag of the event loop, because
 * prom-client samples with a 10 ms timer, and counts the 10 ms as lag.
 */
function createProcessRegistry(): Registry {
  const registry = new Registry();
  // The longest interval keeps prom-client's own monitor, which is not used, from waking the process.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: TIMER_MAX_MS });
  const delay = measureLoopDelay();
  // The first gauge sets all of them at each scrape, so that they describe the same period.
  const setGauges = () => {
    for (const { gauge, read } of gauges) {
      gauge.set(delay.count === 0 ? 0 : read(delay) / NANOSECONDS_PER_SECOND);
    }
    delay.reset();
  };
  const gauges = DELAY_STATISTICS.map(([statistic, read], index) => {
    const name = `nodejs_eventloop_lag_${statistic}_seconds`;
    registry.removeSingleMetric(name);
    const help = `How long the event loop was busy at a stretch since the last scrape: ${statistic}.`;
    const collect = index === 0 ? { collect: setGauges } : {};
    return { gauge: new Gauge({ name, help, registers: [registry], ...collect }), read };
  });
  return registry;
}
