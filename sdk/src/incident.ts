import type { Priority } from "./content.ts";
import type { NotificationRecord } from "./notification.ts";
import type { PageQuery, Timestamp } from "./page.ts";

/** The states of an incident; `resolved` is its end. */
export const INCIDENT_STATES = ["triggered", "acknowledged", "expired", "resolved"] as const;

/** The state of an incident. */
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** The means by which somebody acted; `time` is the server's own clock. */
export const ACT_MEANS = [
  "button",
  "console",
  "api",
  "key",
  "command_line",
  "mail",
  "time",
] as const;

/** The means by which somebody acted. */
export type ActMeans = (typeof ACT_MEANS)[number];

/** An act on an incident. */
export interface IncidentAct {
  readonly at: Timestamp;
  readonly via: ActMeans;
  /** The name of the person; null for a key, for the server, and for a deleted account. */
  readonly name: string | null;
  /** The name of the device, if it is known. */
  readonly deviceName: string | null;
}

/** An incident as its sender sees it. */
export interface IncidentReceipt {
  readonly id: string;
  readonly incidentKey: string | null;
  readonly state: IncidentState;
  readonly priority: Priority;
  readonly title: string;
  readonly openedAt: Timestamp;
  readonly lastTriggerAt: Timestamp;
  /** The number of triggers. */
  readonly occurrences: number;
  /** The number of steps of the policy that the incident has reached. */
  readonly step: number;
  /** The number of rounds so far. */
  readonly round: number;
  /** The time at which the incident stops ringing; null if it does not ring. */
  readonly expiresAt: Timestamp | null;
  readonly acknowledgement: IncidentAct | null;
  readonly resolution: IncidentAct | null;
}

/** An incident as the people who were told about it see it. */
export interface Incident extends IncidentReceipt {
  readonly channel: string;
  /** The team whose key opened the incident; null for an account key. */
  readonly teamId: string | null;
  readonly teamName: string | null;
  /** The notification with the latest text. */
  readonly notificationId: string;
  /** The name of the escalation policy; null without one. */
  readonly policyName: string | null;
  /** The number of steps of the policy; 1 without one. */
  readonly stepCount: number;
  /** The time of the next round; null if the incident does not ring, and in its last round. */
  readonly nextRoundAt: Timestamp | null;
  /** The time of the next step; null if there is none. */
  readonly nextStepAt: Timestamp | null;
}

/** An incident as the link in an alarm email shows it. */
export type LinkedIncident = Pick<
  IncidentReceipt,
  "title" | "state" | "openedAt" | "occurrences" | "acknowledgement" | "resolution"
>;

/** An incident after an act by the link in an alarm email. */
export type ActedByLink = ActedIncident<LinkedIncident>;

/** An entry in the history of an incident. */
export interface IncidentHistoryEntry {
  readonly id: string;
  readonly kind:
    | "opened"
    | "triggered"
    | "updated"
    | "step"
    | "ring"
    | "acknowledged"
    | "expired"
    | "reminded"
    | "resolved"
    | "push"
    | "mail"
    | "callback_failed";
  readonly at: Timestamp;
  readonly act: IncidentAct | null;
  /** The notification that this entry pushed. */
  readonly notificationId: string | null;
  /** Facts such as the number of a step, a round or a delay in milliseconds. */
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** An incident with a part of its history, and the results of the pushes in that part. */
export interface IncidentDetail extends Incident {
  /** At most 100 entries, the oldest first: the latest ones, or those before the cursor. */
  readonly history: readonly IncidentHistoryEntry[];
  /** The `cursor` that shows the entries before these; null if there are none. */
  readonly earlierCursor: string | null;
  /** The notifications that these entries pushed. */
  readonly notifications: readonly NotificationRecord[];
}

/** The query that selects a part of an incident's history. */
export interface IncidentQuery {
  /** The `earlierCursor` of a response; absent for the latest entries. */
  readonly cursor?: string;
}

/** The query that selects incidents; absent fields match all. */
export interface IncidentsQuery extends PageQuery {
  /** `open` selects all but resolved ones. */
  readonly state?: IncidentState | "open";
}

/** An incident, by its id or by the key that its sender gave it. */
export type IncidentReference =
  | { readonly incidentId: string; readonly incidentKey?: never }
  | { readonly incidentKey: string; readonly incidentId?: never };

/** An incident after an act, and whether the act changed it. */
export interface ActedIncident<Shown = Incident> {
  /** False if the incident was in this state before. */
  readonly isChanged: boolean;
  /** A sentence about the result. If somebody had acted before, it says who and when. */
  readonly message: string;
  readonly incident: Shown;
}
