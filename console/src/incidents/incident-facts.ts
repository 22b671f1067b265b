import type { Incident, IncidentDetail, IncidentHistoryEntry, IncidentState } from "@tocsin/sdk";
import { countDevices } from "../notifications/log/state-groups.ts";

/** The times that the console shows for an incident, in whole seconds from now. */
export interface IncidentTimes {
  /** The time since it opened, at least 1: whole minutes from a minute on, and whole hours from a day on. */
  readonly openSeconds: number;
  /** The time until it rings again: 0 if it is about to; null if it does not ring, and in its last round. */
  readonly nextRoundSeconds: number | null;
  /** The time until its next step: 0 if it is about to be reached; null if there is none. */
  readonly nextStepSeconds: number | null;
}

/** Returns the times of an incident; `now` is a Unix time in milliseconds. */
export function getTimes(
  { openedAt, nextRoundAt, nextStepAt }: Incident,
  now: number,
): IncidentTimes {
  const getSecondsUntil = (at: string | null) =>
    at === null ? null : Math.max(0, Math.round((Date.parse(at) - now) / 1_000));
  return {
    openSeconds: roundDown(Math.max(1, Math.round((now - Date.parse(openedAt)) / 1_000))),
    nextRoundSeconds: getSecondsUntil(nextRoundAt),
    nextStepSeconds: getSecondsUntil(nextStepAt),
  };
}

/** Pairs of a shortest duration and its precision, both in seconds. */
const PRECISIONS = [
  [86_400, 3_600],
  [60, 60],
] as const;

/** Rounds a duration down to its precision. */
function roundDown(seconds: number): number {
  const precision = PRECISIONS.find(([shortest]) => seconds >= shortest)?.[1] ?? 1;
  return Math.floor(seconds / precision) * precision;
}

/** Whether each act would change an incident. */
export interface PossibleActs {
  readonly acknowledge: boolean;
  readonly escalate: boolean;
  readonly resolve: boolean;
  readonly ringAgain: boolean;
}

/** Returns which acts would change an incident. */
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

/** Returns incidents sorted by state (unacknowledged first), then by priority, then by age (the oldest first). */
export function sortByUrgency(incidents: readonly Incident[]): readonly Incident[] {
  return incidents.toSorted(
    (one, other) =>
      STATE_ORDER.indexOf(one.state) - STATE_ORDER.indexOf(other.state) ||
      PRIORITY_ORDER.indexOf(one.priority) - PRIORITY_ORDER.indexOf(other.priority) ||
      Date.parse(one.openedAt) - Date.parse(other.openedAt),
  );
}

/** The number of devices that a push was for, and how many of them it has reached. */
export interface PushResult {
  readonly reached: number;
  readonly count: number;
}

/** Returns the result of the push that an entry reports; null without one, or if the result is no longer kept. */
export function getPushResult(
  { notifications }: Pick<IncidentDetail, "notifications">,
  { notificationId }: Pick<IncidentHistoryEntry, "notificationId">,
): PushResult | null {
  const record = notifications.find(({ id }) => id === notificationId);
  if (record === undefined) return null;
  const { counts } = record;
  return { reached: counts.accepted, count: countDevices(counts) };
}
