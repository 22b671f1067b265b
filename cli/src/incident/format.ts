import type { ActedIncident, IncidentAct, IncidentReceipt, IncidentState } from "@tocsin/sdk";
import { formatLocalTime } from "../local-time.ts";
import { sanitize, type Style, type Terminal } from "../terminal.ts";

/** The style of each state of an incident. */
export const STATE_STYLES: Readonly<Record<IncidentState, Style>> = {
  triggered: "red",
  acknowledged: "yellow",
  expired: "red",
  resolved: "green",
};

const MEANS: Readonly<Record<IncidentAct["via"], string>> = {
  button: "by a button",
  console: "in the console",
  api: "with an access token",
  key: "with an API key",
  command_line: "on the command line",
  mail: "from an email",
  time: "by itself",
};

/** Returns who acted and by which means, such as `by Ann in the console`. */
export function formatActor({ name, via, deviceName }: IncidentAct): string {
  return [
    ...(name === null ? [] : [`by ${sanitize(name)}`]),
    MEANS[via],
    ...(deviceName === null ? [] : [`on ${sanitize(deviceName)}`]),
  ].join(" ");
}

/** Returns the state of an incident, and the name of the person who acknowledged or resolved it if it is known. */
export function formatState({ state, acknowledgement, resolution }: IncidentReceipt): string {
  const act = state === "resolved" ? resolution : state === "acknowledged" ? acknowledgement : null;
  if (act === null || act.name === null) return state;
  return `${state} by ${sanitize(act.name)}`;
}

/** Returns the time of an act and who acted. */
export function formatActWithTime(act: IncidentAct): string {
  return `${formatLocalTime(act.at)} ${formatActor(act)}`;
}

/** Prints an incident and the result of an act on one line. */
export function printActResult(
  { print, style }: Terminal,
  { message, incident: { id, title } }: ActedIncident<IncidentReceipt>,
): void {
  print(`${sanitize(id)}  ${style("bold", sanitize(title))}  ${sanitize(message)}`);
}
