import type { IncidentTimerKind } from "./decision.ts";

/** The timers of incidents. */
export const INCIDENT_TIMERS = [
  "ring",
  "step",
  "expire",
  "update",
  "remind",
  "auto_resolve",
] as const satisfies readonly IncidentTimerKind[];
