import type { NotificationContent } from "@tocsin/sdk";
import type { Act, Incident } from "./incident.ts";

/** The kinds of timers of an incident. */
export type IncidentTimerKind = "ring" | "step" | "expire" | "update" | "remind" | "auto_resolve";

/** The kinds of entries in an incident's history that decisions make. */
export const HISTORY_KINDS = [
  "opened",
  "triggered",
  "updated",
  "step",
  "ring",
  "acknowledged",
  "expired",
  "reminded",
  "resolved",
] as const;

/** An entry of an incident's history. */
export interface HistoryEntry {
  /** `answered` for an answer to a question. */
  readonly kind: (typeof HISTORY_KINDS)[number] | "answered";
  readonly act: Act | null;
  /** Facts for programs, such as the number of a step. */
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** The cause of a push of an incident. */
export type PushCause =
  | "trigger"
  | "update"
  | "ring"
  | "step"
  | "reminder"
  | "acknowledgement"
  | "resolution"
  /** The end of a question. */
  | "answer";

/** A push that a change orders. */
export interface IncidentPush {
  readonly cause: PushCause;
  /** The sender's audience, the people of the step that is just reached, or everybody who was reached so far. */
  readonly to: "audience" | "step" | "reached";
  /** The text; null for the incident's current text. */
  readonly content: NotificationContent | null;
  /** Whether the push becomes the incident's line in the feeds. */
  readonly isFiled: boolean;
}

/** The events of an incident that a decision can report by a callback. */
export type IncidentCallback = "incident.acknowledged" | "incident.resolved" | "incident.expired";

/** A change of an incident and its consequences, which are stored together or not at all. */
export interface Decision {
  readonly incident: Incident;
  readonly entries: readonly HistoryEntry[];
  readonly pushes: readonly IncidentPush[];
  /** A text to file in every feed in which no push files one; null if there is none. */
  readonly filedContent: NotificationContent | null;
  /** The time of each timer that changes; null removes it. */
  readonly timers: ReadonlyMap<IncidentTimerKind, number | null>;
  readonly callback: IncidentCallback | null;
}

/** Facts from outside the incident that a decision depends on. */
export interface DecisionFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The people of the next step; null if there is no further step. */
  readonly nextStep: StepFacts | null;
  /** Whether the latest step reached a device or sent an email. */
  readonly hasReachedSomebody: boolean;
  /**
   * Whether every audience that was told is too large to ring: such an audience is told once, and no round tells it
   * again.
   */
  readonly isTooLargeToRing: boolean;
}

/** The people of a step as they are now. */
export interface StepFacts {
  /** Whether there is nobody to tell. */
  readonly isEmpty: boolean;
  /** The number of targets that no longer exist, such as a member who has left the team. */
  readonly passedOver: number;
  /** Whether an audience has too many devices to ring, and no other audience has a device to ring. */
  readonly isTooLarge: boolean;
}

/** Collects the consequences of one change. */
export class DecisionDraft {
  incident: Incident;
  readonly entries: HistoryEntry[] = [];
  readonly pushes: IncidentPush[] = [];
  filedContent: NotificationContent | null = null;
  readonly timers = new Map<IncidentTimerKind, number | null>();
  callback: IncidentCallback | null = null;

  constructor(incident: Incident) {
    this.incident = incident;
  }

  change(fields: Partial<Incident>): void {
    this.incident = { ...this.incident, ...fields };
  }

  record(kind: HistoryEntry["kind"], detail: HistoryEntry["detail"] = {}, act: Act | null = null) {
    this.entries.push({ kind, act, detail });
  }

  /** Orders a push; with a text of its own, the push is also filed in the feeds. */
  push(cause: PushCause, to: IncidentPush["to"], content: NotificationContent | null = null): void {
    this.pushes.push({ cause, to, content, isFiled: content !== null });
  }

  removeTimers(kinds: readonly IncidentTimerKind[]): void {
    for (const kind of kinds) this.timers.set(kind, null);
  }
}
