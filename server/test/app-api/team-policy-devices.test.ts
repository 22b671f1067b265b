import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { addDevice, signUp, startApp, type TestPerson } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency" } as const;

/** Creates a team that Ann and Ben manage. Its policy rings a group of Ann's and a device of Ben's. */
async function startTeam(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  const benId = await addMember(ann, teamId, ben);
  await ann.client.teams.updateMember(teamId, benId, { role: "admin" });
  const { device: pager, phone: annPager } = await addDevice(app, ann, "Pager");
  const { phone: annPhone } = await addDevice(app, ann, "Phone");
  const { device: benDevice, phone: benPhone } = await addDevice(app, ben, "Ben's phone");
  const group = await ann.client.groups.create({ name: "Nights", deviceIds: [pager.id] });
  const policy = await ann.client.escalationPolicies.create({
    teamId,
    name: "Nights",
    steps: [{ afterSeconds: 0, targets: [{ kind: "group", groupId: group.id }] }],
  });
  const targets = [
    { kind: "group", groupId: group.id },
    { kind: "device", deviceId: benDevice.id },
  ] as const;
  const steps = [{ afterSeconds: 0, targets }];
  await ben.client.escalationPolicies.update(policy.id, { steps });
  const ring = () => ann.withKey(key).notify({ ...ALARM, escalation: "Nights" });
  return { app, ann, ben, teamId, benId, group, ring, annPager, annPhone, benPhone };
}

/** Returns the detail of the first step of the person's latest incident. */
async function readStep({ client }: Pick<TestPerson, "client">) {
  const [latestIncident] = (await client.incidents.list()).items;
  const { history } = await client.incidents.get(latestIncident?.id ?? "");
  return history.find(({ kind }) => kind === "step")?.detail ?? assert.fail();
}

test("a team's emergency rings a group and a device of its managers, and one of them can acknowledge it", async (t) => {
  const { ann, ben, ring, annPager, annPhone, benPhone } = await startTeam(t);
  await ring();
  await Promise.all([annPager.waitForRequests(1), benPhone.waitForRequests(1)]);
  assert.equal(annPhone.requests.length, 0);
  assert.equal((await readStep(ann))["passedOver"], undefined);
  const [incident] = (await ben.client.incidents.list()).items;
  await ben.client.incidents.acknowledge(incident?.id ?? "");
  const [acknowledgedIncident] = (await ann.client.incidents.list()).items;
  assert.equal(acknowledgedIncident?.acknowledgement?.name, "Ben");
});

type Team = Awaited<ReturnType<typeof startTeam>>;

const DEPARTURES: readonly {
  readonly description: string;
  readonly depart: (team: Team) => Promise<unknown>;
}[] = [
  {
    description: "has left the team",
    depart: ({ ben, teamId }) => ben.client.teams.leave(teamId),
  },
  {
    description: "was removed from the team",
    depart: ({ ann, teamId, benId }) => ann.client.teams.removeMember(teamId, benId),
  },
  {
    description: "has deleted the account",
    depart: ({ ben }) => ben.client.profile.delete({ password: "password of Ben" }),
  },
];

for (const { description, depart } of DEPARTURES) {
  test(`a step passes over the device of a person who ${description}, and its history says so`, async (t) => {
    const team = await startTeam(t);
    const { ann, ring, annPager, benPhone } = team;
    await depart(team);
    await ring();
    await annPager.waitForRequests(1);
    const { passedOver, reachesNobody } = await readStep(ann);
    assert.deepEqual([passedOver, reachesNobody], [1, false]);
    assert.equal(benPhone.requests.length, 0);
  });
}

test("a step passes over a group that was deleted, and its history says so", async (t) => {
  const { ann, ben, group, ring, annPager, benPhone } = await startTeam(t);
  await ann.client.groups.remove(group.id);
  await ring();
  await benPhone.waitForRequests(1);
  assert.equal((await readStep(ben))["passedOver"], 1);
  assert.equal(annPager.requests.length, 0);
});
