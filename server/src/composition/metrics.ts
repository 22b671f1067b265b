import type { CallbackResult } from "#callbacks/callback-sender.ts";
import { PUSH_PROVIDERS } from "@tocsin/sdk";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Breakers } from "#delivery/services/breakers.ts";
import type { DeliveryCode } from "#delivery/delivery.ts";
import type { QueueStats } from "#delivery/store/delivery-store.ts";
import type { HoldCause } from "#delivery/services/hold.ts";
import { parseProvider } from "#delivery/services/service-records.ts";
import type { Report } from "#delivery/result/watch.ts";
import type { Server } from "#http/server.ts";
import { registerProcessMetrics } from "#process/process-metrics.ts";
import type { TimerCounts } from "#timers/store.ts";

/** The Prometheus metrics of one process, and the functions that update them. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts a report about one device. */
  countReport(report: Report): void;
  countAccepted(audienceKind: string): void;
  /** Counts an attempt of a callback. */
  countCallback(result: CallbackResult): void;
  /** Reads the queue at each scrape. */
  observeQueue(getStats: () => Promise<QueueStats>): void;
  /** Reads the held push services at each scrape. */
  observeHeldServices(listHeld: Breakers["listHeld"]): void;
  /** Reads the suspected push services at each scrape. */
  observeSuspectedServices(listSuspected: Breakers["listSuspected"]): void;
  /** Counts timers at each scrape. */
  observeTimers(countTimers: () => Promise<TimerCounts>): void;
  /** Measures how late a timer is at its first try. */
  observeLateness(lateMs: number): void;
  /** Measures the time of every response by route, method and status; never by key or id. */
  observeHttp(server: Server): void;
}

/**
 * Codes with a series from the start, because alerts count them: Prometheus sees no increase in a series that begins
 * above 0.
 */
const INITIAL_CODES: readonly DeliveryCode[] = ["accepted", "expired"];

/** Histogram bounds of response times, in seconds: from a validation error to the longest synchronous wait. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Histogram bounds of lateness, in seconds: from a punctual timer to the first one after a long downtime. */
const LATENESS_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 600];

/** Returns the metrics of one process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  registerProcessMetrics(registry);
  const accepted = new Counter({
    name: "tocsin_notifications_accepted_total",
    help: "Notifications stored durably, by kind of audience.",
    labelNames: ["audience"],
    registers,
  });
  const deliveries = new Counter({
    name: "tocsin_deliveries_total",
    help: "Outcomes of attempts, by code, including those that are tried again.",
    labelNames: ["code"],
    registers,
  });
  const lateness = new Histogram({
    name: "tocsin_timer_lateness_seconds",
    help: "Time from the planned time of a timer to its first try.",
    buckets: LATENESS_BUCKETS_SECONDS,
    registers,
  });
  const getDeliveryCounter = cacheByName((code) => deliveries.labels({ code }));
  for (const code of INITIAL_CODES) getDeliveryCounter(code).inc(0);
  const getAcceptedCounter = cacheByName((audience) => accepted.labels({ audience }));
  return {
    registry,
    countReport: (report) => {
      const code = report.kind === "final" ? report.result.code : report.pending.code;
      getDeliveryCounter(code ?? "queued").inc();
    },
    countAccepted: (audienceKind) => getAcceptedCounter(audienceKind).inc(),
    countCallback: createCallbackCounter(registry),
    observeQueue: (getStats) => observeQueue(registry, getStats),
    observeHeldServices: (listHeld) => observeHeldServices(registry, listHeld),
    observeSuspectedServices: (listSuspected) => observeSuspectedServices(registry, listSuspected),
    observeTimers: (countTimers) => observeTimers(registry, countTimers),
    observeLateness: (lateMs) => lateness.observe(lateMs / 1_000),
    observeHttp: (server) => observeHttp(registry, server),
  };
}

const CALLBACK_RESULTS: readonly CallbackResult[] = ["delivered", "retried", "failed"];

/** Every result has a series from the start, like the codes that alerts count. */
function createCallbackCounter(registry: Registry): Metrics["countCallback"] {
  const callbacks = new Counter({
    name: "tocsin_callbacks_total",
    help: "Attempts to call a receiver, by result; failed ones were given up.",
    labelNames: ["result"],
    registers: [registry],
  });
  for (const result of CALLBACK_RESULTS) callbacks.inc({ result }, 0);
  return (result) => callbacks.inc({ result });
}

/** Caches the results of `find` by name: looking up a series by its labels takes longer than counting. */
function cacheByName<T extends object>(find: (name: string) => T): (name: string) => T {
  const cache = new Map<string, T>();
  return (name) => {
    const series = cache.get(name);
    if (series !== undefined) return series;
    const newSeries = find(name);
    cache.set(name, newSeries);
    return newSeries;
  };
}

function observeQueue(registry: Registry, getStats: () => Promise<QueueStats>): void {
  const registers = [registry];
  const jobs = new Gauge({ name: "tocsin_queue_jobs", help: "Unfinished jobs.", registers });
  const due = new Gauge({ name: "tocsin_queue_due", help: "Jobs due and not leased.", registers });
  const oldest = new Gauge({
    name: "tocsin_queue_oldest_due_seconds",
    help: "Waiting time of the oldest due job.",
    registers,
    async collect() {
      const stats = await getStats();
      jobs.set(stats.jobs);
      due.set(stats.due);
      oldest.set(stats.oldestDueMs / 1_000);
    },
  });
}

function observeTimers(registry: Registry, countTimers: () => Promise<TimerCounts>): void {
  const registers = [registry];
  const due = new Gauge({ name: "tocsin_timers_due", help: "Timers that are due.", registers });
  const failing = new Gauge({
    name: "tocsin_timers_failing",
    help: "Timers that failed when they were last tried.",
    registers,
    async collect() {
      const counts = await countTimers();
      due.set(counts.due);
      failing.set(counts.failing);
    },
  });
}

const HOLD_CAUSES: readonly HoldCause[] = ["credentials", "failing", "throttled"];

/** Labels by provider and cause, not by service: a caller that registers browsers can name any number of services. */
function observeHeldServices(registry: Registry, listHeld: Breakers["listHeld"]): void {
  const gauge = new Gauge({
    name: "tocsin_push_services_held",
    help: "Push services whose messages wait, by provider and cause; the operator must fix credentials.",
    labelNames: ["provider", "cause"],
    registers: [registry],
    collect() {
      for (const provider of PUSH_PROVIDERS) {
        for (const cause of HOLD_CAUSES) gauge.set({ provider, cause }, 0);
      }
      for (const { service, cause } of listHeld()) {
        gauge.inc({ provider: parseProvider(service), cause });
      }
    },
  });
}

function observeSuspectedServices(
  registry: Registry,
  listSuspected: Breakers["listSuspected"],
): void {
  const gauge = new Gauge({
    name: "tocsin_push_services_suspected",
    help: "Push services that refuse single devices and have accepted nothing lately, by provider; messages are still sent.",
    labelNames: ["provider"],
    registers: [registry],
    collect() {
      for (const provider of PUSH_PROVIDERS) gauge.set({ provider }, 0);
      for (const service of listSuspected()) gauge.inc({ provider: parseProvider(service) });
    },
  });
}

function observeHttp(registry: Registry, server: Server): void {
  const duration = new Histogram({
    name: "tocsin_http_request_duration_seconds",
    help: "Time to answer, by route pattern, method and status.",
    labelNames: ["route", "method", "status"],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  // Methods and statuses contain no space. The cache is limited by the number of routes, methods and statuses.
  const getSeries = cacheByName((name) => {
    const [method = "", status = "", route = ""] = name.split(" ");
    return duration.labels({ route, method, status });
  });
  server.addHook("onResponse", ({ method, pattern }, reply, done) => {
    getSeries(`${method} ${reply.statusCode} ${pattern}`).observe(reply.elapsedTime / 1_000);
    done();
  });
}
