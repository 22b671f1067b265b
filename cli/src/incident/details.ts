import type { Incident, IncidentDetail, IncidentHistoryEntry, IncidentReceipt } from "@tocsin/sdk";
import { formatLocalTime } from "../local-time.ts";
import { toResultCell } from "../log/result.ts";
import { sanitize, type Terminal } from "../terminal.ts";
import { formatActor, formatActWithTime, STATE_STYLES } from "./format.ts";

/** Prints an incident as its sender sees it. */
export function printReceipt(terminal: Terminal, receipt: IncidentReceipt): void {
  const { expiresAt, round } = receipt;
  const times = expiresAt === null ? [] : [`until ${formatLocalTime(expiresAt)}`];
  printFacts(terminal, receipt, formatRinging(round, times));
}

/** Prints an incident with its history, as the people who were told about it see it. */
export function printIncident(terminal: Terminal, incident: IncidentDetail): void {
  const { expiresAt, round, nextRoundAt } = incident;
  const times = [
    ...(nextRoundAt === null ? [] : [`again at ${formatLocalTime(nextRoundAt)}`]),
    ...(expiresAt === null ? [] : [`until ${formatLocalTime(expiresAt)}`]),
  ];
  const team = incident.teamName === null ? [] : [["Team", sanitize(incident.teamName)] as const];
  printFacts(terminal, incident, [
    ...formatRinging(round, times),
    ...formatPolicy(incident),
    ...team,
    ["Channel", sanitize(incident.channel)],
  ]);
  terminal.print();
  printEarlierHint(terminal, incident);
  for (const entry of incident.history) printEntry(terminal, entry, incident);
}

function printEarlierHint({ print, style }: Terminal, { id, earlierCursor }: IncidentDetail): void {
  if (earlierCursor === null) return;
  const path = sanitize(`/api/app/v1/incidents/${id}?cursor=${earlierCursor}`);
  print(style("dim", `Earlier entries exist. GET ${path} shows them.`));
}

type Fact = readonly [label: string, text: string];

const LABEL_WIDTH = 10;

function printFacts(
  { print, style }: Terminal,
  incident: IncidentReceipt,
  furtherFacts: readonly Fact[],
): void {
  const { id, title, state, priority, openedAt, lastTriggerAt, occurrences, incidentKey } =
    incident;
  const { acknowledgement, resolution } = incident;
  const repeats =
    occurrences === 1 ? "" : `, ${occurrences} times, last ${formatLocalTime(lastTriggerAt)}`;
  const facts: readonly Fact[] = [
    ["State", style(STATE_STYLES[state], state)],
    ["Priority", priority],
    ["Opened", `${formatLocalTime(openedAt)}${repeats}`],
    ...(acknowledgement === null ? [] : [["Taken", formatActWithTime(acknowledgement)] as const]),
    ...(resolution === null ? [] : [["Resolved", formatActWithTime(resolution)] as const]),
    ...furtherFacts,
    ...(incidentKey === null ? [] : [["Key", sanitize(incidentKey)] as const]),
    ["Id", sanitize(id)],
  ];
  print(style("bold", sanitize(title)));
  for (const [label, text] of facts) print(`${style("dim", label.padEnd(LABEL_WIDTH))}${text}`);
}

function formatRinging(round: number, times: readonly string[]): readonly Fact[] {
  if (round === 0) return [];
  return [["Rung", [round === 1 ? "once" : `${round} times`, ...times].join(", ")]];
}

function formatPolicy({ policyName, step, stepCount, nextStepAt }: Incident): readonly Fact[] {
  if (policyName === null) return [];
  const next = nextStepAt === null ? "" : `, the next at ${formatLocalTime(nextStepAt)}`;
  return [["Policy", `${sanitize(policyName)}, step ${step} of ${stepCount}${next}`]];
}

/** The words for each kind of history entry. */
const ENTRY_WORDS: Readonly<Record<IncidentHistoryEntry["kind"], string>> = {
  opened: "opened",
  triggered: "triggered again",
  updated: "new text",
  step: "step reached",
  ring: "rings",
  acknowledged: "acknowledged",
  expired: "rings no more",
  reminded: "reminded",
  resolved: "resolved",
  push: "push",
  mail: "email",
  callback_failed: "callback failed",
};

function printEntry(
  { print, style }: Terminal,
  { at, kind, act, notificationId, detail }: IncidentHistoryEntry,
  { notifications }: IncidentDetail,
): void {
  const record = notifications.find(({ id }) => id === notificationId);
  const result = record === undefined ? null : toResultCell(record.counts);
  const { note, cause, reason, step, passedOver, withheld } = detail;
  const facts = [
    ...(kind === "step" ? [String(step)] : []),
    ...(typeof passedOver === "number" ? [`${passedOver} of its targets gone`] : []),
    ...(withheld === true ? ["not sent, 20 alarm emails in this hour"] : []),
    ...(typeof cause === "string" ? [sanitize(cause)] : []),
    ...(kind === "callback_failed" && typeof reason === "string" ? [sanitize(reason)] : []),
    ...(result === null ? [] : [style(result.style ?? "bold", result.text)]),
    ...(typeof note === "string" ? [sanitize(note)] : []),
  ];
  const words = [ENTRY_WORDS[kind], ...(act === null ? [] : [formatActor(act)])].join(" ");
  const text = facts.length === 0 ? words : `${words}: ${facts.join(", ")}`;
  print(`${style("dim", formatLocalTime(at))}  ${text}`);
}
