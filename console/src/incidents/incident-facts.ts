import type { Incident, IncidentDetail, IncidentHistoryEntry, IncidentState } from "@tocsin/sdk";
import { countDevices } from "../notifications/log/outcomes.ts";

/** The facts of an incident that its page tells in words. Times are whole seconds from now. */
export interface IncidentFacts {
  /** The time since it opened, at least 1. */
  readonly openSeconds: number;
  /** The time until it rings again: 0 if it is about to; null if it does not ring. */
  readonly nextRoundSeconds: number | null;
  /** The time until its next step: 0 if it is about to be reached; null if there is none. */
  readonly nextStepSeconds: number | null;
}

/** Returns the facts of an incident at a Unix time in milliseconds. */
export function getFacts(
  { openedAt, nextRoundAt, nextStepAt }: Incident,
  now: number,
): IncidentFacts {
  const getSecondsUntil = (at: string | null) =>
    at === null ? null : Math.max(0, Math.round((Date.parse(at) - now) / 1_000));
  return {
    openSeconds: roundSeconds(Math.max(1, Math.round((now - Date.parse(openedAt)) / 1_000))),
    nextRoundSeconds: getSecondsUntil(nextRoundAt),
    nextStepSeconds: getSecondsUntil(nextStepAt),
  };
}

/** Units in which a past length is told, with the length from which on they suffice. */
const PRECISIONS = [
  [86_400, 3_600],
  [60, 60],
] as const;

/** Leaves out the seconds of a length over a minute, and the minutes of one over a day. */
function roundSeconds(seconds: number): number {
  const precision = PRECISIONS.find(([from]) => seconds >= from)?.[1] ?? 1;
  return Math.floor(seconds / precision) * precision;
}

/** The acts that make sense in the state of an incident. */
export interface PossibleActs {
  readonly acknowledge: boolean;
  readonly escalate: boolean;
  readonly resolve: boolean;
  readonly ringAgain: boolean;
}

/** Returns the acts that would change an incident. */
export function getPossibleActs({ state, priority, nextStepAt }: Incident): PossibleActs {
  return {
    acknowledge: state === "triggered" || state === "expired",
    escalate: state === "triggered" && nextStepAt !== null,
    resolve: state !== "resolved",
    ringAgain: state !== "resolved" && priority === "emergency",
  };
}

const STATE_ORDER: readonly IncidentState[] = ["triggered", "expired", "acknowledged", "resolved"];
const PRIORITY_ORDER: readonly Incident["priority"][] = ["emergency", "high", "normal", "low"];

/** Returns open incidents with those first that nobody has taken, then by priority; the oldest of a kind is first. */
export function sortByUrgency(incidents: readonly Incident[]): readonly Incident[] {
  return incidents.toSorted(
    (one, other) =>
      STATE_ORDER.indexOf(one.state) - STATE_ORDER.indexOf(other.state) ||
      PRIORITY_ORDER.indexOf(one.priority) - PRIORITY_ORDER.indexOf(other.priority) ||
      Date.parse(one.openedAt) - Date.parse(other.openedAt),
  );
}

/** The number of devices of a push, and of those that it has reached. */
export interface PushResult {
  readonly reached: number;
  readonly count: number;
}

/** Returns the result of the push of an entry; null if the entry has none, or if its results are no longer kept. */
export function getPushResult(
  { notifications }: Pick<IncidentDetail, "notifications">,
  { notificationId }: Pick<IncidentHistoryEntry, "notificationId">,
): PushResult | null {
  const record = notifications.find(({ id }) => id === notificationId);
  if (record === undefined) return null;
  const { counts } = record;
  return { reached: counts.accepted, count: countDevices(counts) };
}
