import { INCIDENT_STATES } from "@tocsin/sdk";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Context } from "#context.ts";
import { getIncidentId, type NewNotification } from "#delivery/delivery.ts";
import type { Report } from "#delivery/result/watch.ts";
import type { IncidentChanged } from "#incidents/change.ts";
import { HISTORY_KINDS } from "#incidents/decision.ts";
import { countIncidentsByState } from "#incidents/store/incidents.ts";

/** The functions that update the metrics of incidents. */
export interface IncidentMetrics {
  /** Counts the history entries of a change, and measures the time to an acknowledgement. Ignores prompts. */
  readonly countChange: (change: IncidentChanged) => void;
  /** Counts a report if its push rings. */
  readonly countRing: (notification: NewNotification, report: Report) => void;
}

/** Histogram bounds of the time from the last trigger to the acknowledgement, in seconds. */
const BUCKETS_SECONDS = [5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400];

/** The causes of pushes that ring, if the priority is emergency. */
const RINGING_CAUSES: ReadonlySet<string> = new Set([
  "trigger",
  "prompt",
  "ring",
  "step",
  "reminder",
]);

/** Adds the metrics of incidents to a registry. No label names a key, a person or an incident. */
export function createIncidentMetrics(registry: Registry, context: Context): IncidentMetrics {
  const registers = [registry];
  observeStates(registry, context);
  const events = new Counter({
    name: "tocsin_incident_events_total",
    help: "Events of incidents, by kind.",
    labelNames: ["event"],
    registers,
  });
  for (const event of HISTORY_KINDS) events.inc({ event }, 0);
  const acknowledged = new Histogram({
    name: "tocsin_acknowledge_seconds",
    help: "Time from the last trigger of an incident to its acknowledgement.",
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const rings = new Counter({
    name: "tocsin_rings_total",
    help: "Results of pushes that ring, by outcome, including those that are tried again.",
    labelNames: ["outcome"],
    registers,
  });
  return {
    countChange({ incident, entries }) {
      if (incident.question !== null) return;
      for (const { kind: event } of entries) events.inc({ event });
      if (!entries.some(({ kind }) => kind === "acknowledged")) return;
      const at = incident.acknowledgement?.at ?? incident.lastTriggerAt;
      acknowledged.observe(Math.max(0, at - incident.lastTriggerAt) / 1_000);
    },
    countRing({ interaction, priority }, report) {
      const canRing =
        interaction !== null && getIncidentId(interaction) !== null && priority === "emergency";
      if (!canRing || !RINGING_CAUSES.has(interaction.cause)) return;
      rings.inc({ outcome: report.kind === "final" ? report.result.state : "retrying" });
    },
  };
}

function observeStates(registry: Registry, context: Context): void {
  const gauge = new Gauge({
    name: "tocsin_incidents",
    help: "Open incidents, by state.",
    labelNames: ["state"],
    registers: [registry],
    async collect() {
      const counts = await countIncidentsByState(context);
      for (const state of INCIDENT_STATES) {
        if (state !== "resolved") gauge.set({ state }, counts.get(state) ?? 0);
      }
    },
  });
}
