import type { IncidentTimerKind } from "./decision.ts";

/** The kinds of timers that an incident has. */
export const INCIDENT_TIMER_KINDS = [
  "ring",
  "step",
  "expire",
  "update",
  "remind",
  "auto_resolve",
] as const satisfies readonly IncidentTimerKind[];
