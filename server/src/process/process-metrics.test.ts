import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Registry } from "prom-client";
import { registerProcessMetrics } from "./process-metrics.ts";

test("a scrape reports how long the event loop was busy since the previous one", async () => {
  const registry = new Registry();
  registerProcessMetrics(registry);
  // Other servers in this process may have collected before.
  await readDelays(registry);
  // Longer than a busy machine delays an idle event loop.
  await keepBusy(400);
  const busyDelays = await readDelays(registry);
  assert.ok(busyDelays.max >= 0.4 && busyDelays.p99 >= 0.39, `busy: ${JSON.stringify(busyDelays)}`);
  assert.ok(busyDelays.p50 < 0.4, `busy: ${JSON.stringify(busyDelays)}`);
  await keepBusy(0);
  const { max } = await readDelays(registry);
  assert.ok(max < busyDelays.max, `idle: ${max} s`);
});

test("each well-known metric name exists once", async () => {
  const registry = new Registry();
  registerProcessMetrics(registry);
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  for (const name of [
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "nodejs_eventloop_lag_seconds",
    "nodejs_eventloop_lag_p99_seconds",
    "nodejs_gc_duration_seconds",
  ]) {
    assert.equal(names.filter((candidate) => candidate === name).length, 1, name);
  }
});

test("all servers of a process share one observer of garbage collections", () => {
  const registerAndGetObserver = () => {
    const registry = new Registry();
    registerProcessMetrics(registry);
    return registry.getSingleMetric("nodejs_gc_duration_seconds") ?? assert.fail();
  };
  assert.equal(registerAndGetObserver(), registerAndGetObserver());
});

/** Runs iterations of the event loop, one of which is busy for `ms`. */
async function keepBusy(ms: number): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

async function readDelays(registry: Registry) {
  const metrics = await registry.getMetricsAsJSON();
  const read = (statistic: string) => {
    const metric = metrics.find(({ name }) => name === `nodejs_eventloop_lag_${statistic}_seconds`);
    return metric?.values[0]?.value ?? Number.NaN;
  };
  return { max: read("max"), p50: read("p50"), p99: read("p99") };
}
