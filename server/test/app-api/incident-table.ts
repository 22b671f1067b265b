import type { AccessEntry } from "./access-table.ts";
import type { AppFixture } from "./app-fixture.ts";
import { expectEveryone, expectOwner, type ExpectedStatuses } from "./expected-statuses.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency" } as const;

/** Triggers an incident with the key; returns the ids of its path, which is the incident's id alone. */
async function createIncidentIds(fixture: AppFixture, key: string): Promise<readonly string[]> {
  const { incidentId } = await fixture.owner.withKey(key).notify(ALARM);
  if (incidentId === undefined) throw new Error("The server opened no incident.");
  return [incidentId];
}

const createIncident = (fixture: AppFixture) => createIncidentIds(fixture, fixture.owner.key);

const createTeamIncident = async (fixture: AppFixture) =>
  createIncidentIds(fixture, (await fixture.createTeam()).key);

/** Every member of the team was told of the incident. To other accounts it looks missing. */
const EVERY_MEMBER: ExpectedStatuses = { ...expectEveryone(200), other: 404 };

const ACTS = ["acknowledgeIncident", "resolveIncident", "ringIncidentAgain"];

/** Entries for the operations on incidents. */
export const INCIDENT_ENTRIES: readonly AccessEntry[] = [
  { operation: "listIncidents", statuses: expectEveryone(200) },
  {
    operation: "acknowledgeIncidents",
    statuses: expectEveryone(200),
    createBody: () => ({ ids: ["missing"] }),
  },
  { operation: "getIncident", statuses: expectOwner(200), createIds: createIncident },
  { operation: "getIncident", statuses: EVERY_MEMBER, createIds: createTeamIncident },
  ...ACTS.flatMap((operation) => [
    { operation, statuses: expectOwner(200), createIds: createIncident, createBody: () => ({}) },
    { operation, statuses: EVERY_MEMBER, createIds: createTeamIncident, createBody: () => ({}) },
  ]),
  // Without a policy there is no further step.
  {
    operation: "escalateIncident",
    statuses: expectOwner(409),
    createIds: createIncident,
    createBody: () => ({}),
  },
];
