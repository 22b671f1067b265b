import type { Context } from "#context.ts";
import { findDevicesInAudience } from "#devices/audiences/store/audience-devices.ts";
import { listMembershipPeriods } from "#teams/store/teams.ts";
import type { Incident } from "./incident.ts";
import { findIncident, listToldAudiences } from "./store/incidents.ts";
import type { ToldAudience } from "./told-audience.ts";

/** A person who reads an incident or acts on it, perhaps with a device. */
export interface IncidentReader {
  readonly accountId: string;
  /** The device that acts for the person; null if the person is signed in. */
  readonly deviceId: string | null;
}

/** Returns the teams of which an account is a member now. */
export async function listTeamIds(context: Context, accountId: string): Promise<readonly string[]> {
  const periods = await listMembershipPeriods(context, accountId);
  return periods.flatMap(({ teamId, leftAt }) => (leftAt === null ? [teamId] : []));
}

/**
 * Returns an incident if a person was told of it and still belongs to an audience that was told; otherwise null, as for a
 * missing incident. Null also for an incident that asks a question, because people read it as a prompt.
 */
export async function findReachedIncident(
  context: Context,
  incidentId: string,
  reader: IncidentReader,
): Promise<Incident | null> {
  const incident = await findReached(context, incidentId, reader);
  return incident?.question === null ? incident : null;
}

/**
 * Returns an incident, which may ask a question, if a person was told of it and still belongs to an audience that was
 * told; otherwise null. With a device, the incident must have been pushed to this device.
 */
export async function findReached(
  context: Context,
  incidentId: string,
  reader: IncidentReader,
): Promise<Incident | null> {
  const incident = await findIncident(context, incidentId);
  if (incident === null) return null;
  const told = await listToldAudiences(context, incidentId);
  const teamIds = new Set(await listTeamIds(context, reader.accountId));
  const own = told.filter((one) => reachesPerson(one, { incident, reader, teamIds }));
  const { deviceId } = reader;
  if (deviceId === null) return own.length > 0 ? incident : null;
  return (await reachesDevice(context, own, deviceId)) ? incident : null;
}

interface PersonQuery {
  readonly incident: Incident;
  readonly reader: IncidentReader;
  readonly teamIds: ReadonlySet<string>;
}

function reachesPerson(
  { audience }: ToldAudience,
  { incident: { owner }, reader, teamIds }: PersonQuery,
): boolean {
  if (audience.kind === "team") return teamIds.has(audience.teamId);
  const isInOwnerTeam = owner.teamId === null || teamIds.has(owner.teamId);
  return audience.accountId === reader.accountId && isInOwnerTeam;
}

/** Returns whether a device is in an audience to which the incident was pushed; a line in the feed does not count. */
async function reachesDevice(
  context: Context,
  told: readonly ToldAudience[],
  deviceId: string,
): Promise<boolean> {
  for (const { audience, reach } of told) {
    if (reach === "feed") continue;
    const found = await findDevicesInAudience(context, audience, { deviceIds: [deviceId] });
    if (found.length > 0) return true;
  }
  return false;
}
