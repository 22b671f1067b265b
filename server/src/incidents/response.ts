import type {
  Incident as IncidentResponse,
  IncidentAct,
  IncidentHistoryEntry,
  IncidentReceipt,
} from "@tocsin/sdk";
import { findAccountNames } from "#accounts/store/names.ts";
import type { Context } from "#context.ts";
import { findDeviceNames } from "#devices/store/devices.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { findTeamNames } from "#teams/store/teams.ts";
import { listTimers } from "#timers/store.ts";
import { getStepDueAt } from "./ringing.ts";
import type { Act, Incident } from "./incident.ts";
import type { ActOfAccount } from "./store/acts-of-account.ts";
import { listEntries, type StoredEntry } from "./store/events.ts";

/** The names of the people and devices that acts mention. */
interface ActNames {
  readonly people: ReadonlyMap<string, string>;
  readonly devices: Awaited<ReturnType<typeof findDeviceNames>>;
}

type NamedAct = Pick<Act, "accountId" | "deviceId">;

/** Returns the names that acts mention. */
async function loadActNames(context: Context, acts: readonly NamedAct[]): Promise<ActNames> {
  const accountIds = acts.flatMap(({ accountId }) => (accountId === null ? [] : [accountId]));
  const deviceIds = acts.flatMap(({ deviceId }) => (deviceId === null ? [] : [deviceId]));
  const [people, devices] = await Promise.all([
    findAccountNames(context, [...new Set(accountIds)]),
    findDeviceNames(context, [...new Set(deviceIds)]),
  ]);
  return { people, devices };
}

function listActs({ acknowledgement, closing }: Incident): readonly Act[] {
  return [acknowledgement, closing].filter((act) => act !== null);
}

function toActResponse(act: Omit<Act, "note"> | null, names: ActNames): IncidentAct | null {
  if (act === null) return null;
  const { at, via, accountId, deviceId } = act;
  return {
    at: formatTimestamp(at),
    via,
    name: accountId === null ? null : (names.people.get(accountId) ?? null),
    deviceName: deviceId === null ? null : (names.devices.get(deviceId)?.name ?? null),
  };
}

/** Returns an incident as its sender sees it. */
export async function loadReceipt(context: Context, incident: Incident): Promise<IncidentReceipt> {
  return toReceipt(incident, await loadActNames(context, listActs(incident)));
}

function toReceipt(incident: Incident, names: ActNames): IncidentReceipt {
  const { id, incidentKey, state, priority, title, occurrences, step, round, expiresAt } = incident;
  return {
    id,
    incidentKey,
    state,
    priority,
    title,
    openedAt: formatTimestamp(incident.openedAt),
    lastTriggerAt: formatTimestamp(incident.lastTriggerAt),
    occurrences,
    step,
    round,
    expiresAt: formatOptional(expiresAt),
    acknowledgement: toActResponse(incident.acknowledgement, names),
    resolution: toActResponse(incident.closing, names),
  };
}

/** Returns incidents as the people who were told of them see them, in the same order. */
export async function loadIncidents(
  context: Context,
  incidents: readonly Incident[],
): Promise<readonly IncidentResponse[]> {
  const teamIds = incidents.flatMap(({ owner: { teamId } }) => (teamId === null ? [] : [teamId]));
  const [names, teams, timers] = await Promise.all([
    loadActNames(context, incidents.flatMap(listActs)),
    findTeamNames(context, [...new Set(teamIds)]),
    listTimers(context, { subjectIds: incidents.map(({ id }) => id), kinds: ["ring", "step"] }),
  ]);
  return incidents.map((incident) => {
    const { teamId } = incident.owner;
    const ring = timers.find(({ subjectId, kind }) => subjectId === incident.id && kind === "ring");
    return {
      ...toReceipt(incident, names),
      channel: incident.channel,
      teamId,
      teamName: teamId === null ? null : (teams.get(teamId) ?? null),
      notificationId: incident.notificationId,
      policyName: incident.policy?.name ?? null,
      stepCount: incident.policy?.steps.length ?? 1,
      nextRoundAt: formatOptional(ring?.runAt ?? null),
      nextStepAt: formatOptional(getStepDueAt(incident)),
    };
  });
}

/** Returns one incident as the people who were told of it see it. */
export async function loadIncident(
  context: Context,
  incident: Incident,
): Promise<IncidentResponse> {
  const [loaded] = await loadIncidents(context, [incident]);
  if (loaded === undefined) throw new Error("The incident has no response.");
  return loaded;
}

/** Returns the entries of a history with the names of the people who acted. */
export async function loadHistory(
  context: Context,
  entries: readonly StoredEntry[],
): Promise<readonly IncidentHistoryEntry[]> {
  const names = await loadActNames(context, entries);
  return entries.map(({ id, kind, at, via, accountId, deviceId, notificationId, detail }) => ({
    id,
    // Only this room writes the kinds and the means.
    kind: kind as IncidentHistoryEntry["kind"],
    at: formatTimestamp(at),
    act:
      via === null
        ? null
        : toActResponse({ at, via: via as Act["via"], accountId, deviceId }, names),
    notificationId,
    detail,
  }));
}

/** Returns incidents with their whole histories, for the export of a person who was told of them. */
export async function* exportIncidents(context: Context, incidents: readonly Incident[]) {
  const loaded = await loadIncidents(context, incidents);
  for (const incident of loaded) {
    const entries = await listEntries(context, incident.id);
    const history: IncidentHistoryEntry[] = [];
    for (let start = 0; start < entries.length; start += ENTRIES_PER_BATCH)
      history.push(
        ...(await loadHistory(context, entries.slice(start, start + ENTRIES_PER_BATCH))),
      );
    yield { ...incident, history };
  }
}

/** Maximum number of entries whose names are read at once. */
const ENTRIES_PER_BATCH = 500;

/** Converts an act of an account to its form in the account's export. */
export function toExportedAct({ id, incidentId, kind, at, via, detail: { note } }: ActOfAccount) {
  return {
    id,
    incidentId,
    // Only this room writes the kinds and the means.
    kind: kind as IncidentHistoryEntry["kind"],
    at: formatTimestamp(at),
    via: via as Act["via"],
    note: typeof note === "string" ? note : null,
  };
}

function formatOptional(at: number | null): string | null {
  return at === null ? null : formatTimestamp(at);
}
