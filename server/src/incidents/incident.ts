import type { ActMeans, IncidentState, Priority } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";
import type { EscalationStep } from "./policies/policy.ts";
import type { PolicySnapshot } from "./policies/snapshot.ts";

/** An act on an incident: its time, its means, and its author. */
export interface Act {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly via: ActMeans;
  /** The person who acted; null for a key and for the server. */
  readonly accountId: string | null;
  /** The device on which the person acted, if it is known. */
  readonly deviceId: string | null;
  /** A note for the history; null without one. */
  readonly note: string | null;
}

/** The sender of an incident. All keys of one rotation chain are one source. */
export interface IncidentSource {
  readonly kind: "key" | "account";
  /** The first key of the rotation chain, or the account. */
  readonly id: string;
}

/** The account that owns the source, and its team if the source belongs to one. */
export interface IncidentOwner {
  readonly accountId: string;
  readonly teamId: string | null;
}

/** How an incident rings. All times are in milliseconds. */
export interface RingSettings {
  readonly repeatEveryMs: number;
  readonly expireAfterMs: number;
  /** Null rings the audience of the sender. */
  readonly policy: PolicySnapshot | null;
}

/** The question that an incident asks. The room of prompts counts its answers. */
export interface Question {
  readonly choices: readonly string[];
  /** Whether the answer may be a text. */
  readonly allowsText: boolean;
  /** The planned end, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * A matter for people to act on, from its first trigger until it is resolved. All times are milliseconds since the
 * epoch.
 */
export interface Incident extends RingSettings {
  readonly id: string;
  readonly source: IncidentSource;
  readonly owner: IncidentOwner;
  /** SHA-256 of the incident key; without one, a hash of the id of the incident. */
  readonly keyHash: string;
  readonly incidentKey: string | null;
  readonly audience: Audience;
  readonly state: IncidentState;
  readonly priority: Priority;
  readonly channel: string;
  readonly title: string;
  /** Identifies the text of the latest trigger. */
  readonly contentHash: string;
  /** The notification with the latest text, which is also the incident's line in the feed. */
  readonly notificationId: string;
  readonly openedAt: number;
  readonly lastTriggerAt: number;
  readonly occurrences: number;
  /** Time of the latest push that contained a text. */
  readonly toldAt: number;
  /** The moment from which the times of the steps count; null if the incident does not ring. */
  readonly ringsSince: number | null;
  /** End of the ringing; null if the incident does not ring. */
  readonly expiresAt: number | null;
  /** Number of steps reached so far. */
  readonly step: number;
  /** Number of rounds since the opening. */
  readonly round: number;
  readonly autoResolveAfterMs: number | null;
  readonly acknowledgement: Act | null;
  readonly closing: Act | null;
  readonly callbackUrl: string | null;
  /** The question that the incident asks for the prompt with the same id; null if it asks none. */
  readonly question: Question | null;
  /** Increases with every change. */
  readonly version: number;
}

/** Returns whether the incident rings: nobody has acknowledged it yet, and it has not expired. */
export function isRinging({ state, expiresAt }: Pick<Incident, "state" | "expiresAt">): boolean {
  return state === "triggered" && expiresAt !== null;
}

/** Returns the next step of the policy; null if every step is reached, or if there is no policy. */
export function findNextStep({
  policy,
  step,
}: Pick<Incident, "policy" | "step">): EscalationStep | null {
  return policy?.steps[step] ?? null;
}

const RANKS: Readonly<Record<Priority, number>> = { low: 0, normal: 1, high: 2, emergency: 3 };

/** Returns the higher one of two priorities. */
export function getHigherPriority(one: Priority, other: Priority): Priority {
  return RANKS[one] >= RANKS[other] ? one : other;
}
