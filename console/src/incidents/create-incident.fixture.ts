import type { Incident } from "@tocsin/sdk";

/** Returns an open emergency that does not ring. */
export function createIncident(fields: Partial<Incident> = {}): Incident {
  return {
    id: "incident",
    incidentKey: null,
    state: "triggered",
    priority: "emergency",
    title: "Disk full",
    openedAt: "2026-01-01T00:00:00.000Z",
    lastTriggerAt: "2026-01-01T00:00:00.000Z",
    occurrences: 1,
    step: 1,
    round: 0,
    expiresAt: null,
    acknowledgement: null,
    resolution: null,
    channel: "default",
    teamId: null,
    teamName: null,
    notificationId: "notification",
    policyName: null,
    stepCount: 1,
    nextRoundAt: null,
    nextStepAt: null,
    ...fields,
  };
}
